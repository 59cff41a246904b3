// Describes failed connections and exchanges: a class and a message, without stack traces or error codes.
import { errorMessage } from '#lib/errors.ts';
import { networkInterfaces } from 'node:os';
import { marginOfLimit, withheldAboveMs } from '#domain/results/honest-finding.ts';
import type { Reason } from '#domain/results/result.ts';
import { handshakeWords } from '#lib/net/tls-words.ts';

/** Why there was no usable response. */
export interface Fault {
  readonly reason: Reason;
  readonly message: string;
  /** Delay by Tocsin, in ms, that would not change the outcome. Absent = it does not depend on time. */
  readonly timeMarginMs?: number;
  /** Name without an answer, which may be the fault of our name servers. Absent = none. */
  readonly unresolved?: string;
}

export const stopped: Fault = { reason: 'crashed', message: 'the probe was stopped before it finished' };

/** Whether a reason is about Tocsin's own machine, so that there is no verdict. */
export function isOfObserver(reason: Reason): boolean {
  return reason === 'observer-network' || reason === 'resolver' || reason === 'runtime' || reason === 'crashed';
}

/** Returns the `code` of a Node.js error, or ''. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** Formats a duration: "3 ms", "1.25 s", "2 s", "12.3 s". */
export function spoken(ms: number): string {
  if (ms >= 1000) return `${Number((ms / 1000).toFixed(ms >= 10_000 ? 1 : 3))} s`;
  return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
}

const dnsWords: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name does not exist',
  ENODATA: 'the name has no address of the requested family',
  ESERVFAIL: 'the name server reported a failure',
  EREFUSED: 'the name server refused the query',
  ENOTIMP: 'the name server does not support the query',
  EFORMERR: 'the name server rejected the query as malformed',
  EBADRESP: 'the name server sent a malformed response',
  ETIMEOUT: 'no name server responded',
  ECONNREFUSED: 'no name server could be reached',
  EAI_AGAIN: 'no name server could be reached',
  EBADNAME: 'the name is not valid',
};

/** Describes a failed or refused name lookup. */
export function resolveFault(error: unknown, host: string, ms: number, isOnline = hasNetwork): Fault {
  const code = codeOf(error);
  if (code === 'EGRESS_REFUSED') return refusal(error instanceof Error ? error.message : host);
  const isSilent = code === 'ETIMEOUT' || code === 'ECONNREFUSED' || code === 'EAI_AGAIN';
  if (isSilent && !isOnline()) {
    return { reason: 'observer-network', message: `this machine has no network, so ${host} could not be resolved` };
  }
  const words = dnsWords[code] ?? 'the lookup failed';
  const message = `${host} could not be resolved: ${words} (after ${spoken(ms)})`;
  const isAnswered = code === 'ENOTFOUND' || code === 'ENODATA' || code === 'EBADNAME';
  return {
    reason: 'dns',
    message,
    ...(isSilent && { timeMarginMs: withheldAboveMs }),
    ...(!isAnswered && { unresolved: host }),
  };
}

/** Describes a connection that the egress policy refused. */
export function refusal(sentence: string): Fault {
  return { reason: 'egress-refused', message: `refused by the egress policy: ${sentence}` };
}

const connectWords: Readonly<Record<string, (place: string) => string>> = {
  ECONNREFUSED: (place) => `connection refused by ${place}`,
  ETIMEDOUT: (place) => `connection attempt to ${place} timed out`,
  EHOSTUNREACH: (place) => `no route to ${place}`,
  EHOSTDOWN: (place) => `${place} is down`,
  ECONNRESET: (place) => `connection reset by ${place}`,
  EACCES: (place) => `this machine does not allow connections to ${place}`,
  EPERM: (place) => `this machine does not allow connections to ${place}`,
};
/** Resources of this machine that can run out. */
const exhausted: Readonly<Record<string, string>> = {
  EMFILE: 'file descriptors',
  ENFILE: 'file descriptors',
  ENOBUFS: 'buffer space',
  ENOMEM: 'memory',
  EADDRNOTAVAIL: 'local ports',
};
/** Errors of an address family that this machine lacks. */
const noRoute: ReadonlySet<string> = new Set(['ENETUNREACH', 'ENETDOWN', 'EAFNOSUPPORT', 'EADDRNOTAVAIL']);

/** Describes a failed connection. `errors` are those of all addresses; the first one about the target is used. */
export function connectFault(errors: readonly unknown[], place: string, ms: number): Fault {
  const codes = errors.map(codeOf);
  const own = codes.find((each) => each in exhausted && each !== 'EADDRNOTAVAIL');
  const isUnreached = codes.every((each) => noRoute.has(each));
  // With a single address, a missing local port fails like this; otherwise the address family may be missing.
  const spent = own ?? (isUnreached ? codes.find((each) => each === 'EADDRNOTAVAIL') : undefined);
  if (spent !== undefined) {
    return {
      reason: 'observer-network',
      message: `this machine has no ${exhausted[spent]} left for a connection to ${place}`,
    };
  }
  if (isUnreached) return { reason: 'observer-network', message: `this machine has no network route to ${place}` };
  const code = codes.find((each) => !noRoute.has(each)) ?? '';
  const words = connectWords[code]?.(place) ?? `could not connect to ${place}`;
  return { reason: 'connect', message: `${words} after ${spoken(ms)}` };
}

/** Describes a proxy that made no connection: it failed itself or could not reach the target. */
export function proxyFault(error: unknown): Fault {
  const message = errorMessage(error);
  if (codeOf(error) === 'EGRESS_REFUSED') return refusal(message);
  return { reason: codeOf(error) === 'PROXY_REFUSED' ? 'connect' : 'observer-network', message };
}

/** Describes a failure of an established connection. */
export function streamFault(error: unknown, place: string, phase: Phase, ms: number): Fault {
  const code = codeOf(error);
  const after = `after ${spoken(ms)}`;
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    const message = `${place} closed the connection ${phaseWords[phase]} (${after})`;
    // The other side may have timed out waiting for us.
    return { reason: 'reset', message, timeMarginMs: withheldAboveMs };
  }
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return { reason: 'connect', message: `the connection to ${place} was lost ${phaseWords[phase]} (${after})` };
  }
  const protocolCode = code.endsWith('_ALERT_NO_APPLICATION_PROTOCOL') ? 'ONLY_HTTP2' : code;
  const words = protocolWords[protocolCode] ?? (code.startsWith('HPE_') ? 'did not answer in valid HTTP' : undefined);
  if (words !== undefined) return { reason: 'protocol', message: `${place} ${words}` };
  if (phase === 'tls') {
    return { reason: 'tls', message: `TLS handshake with ${place} failed ${after}: ${handshakeWords(code)}` };
  }
  if (code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO') {
    const words = `the TLS connection to ${place} failed ${phaseWords[phase]}`;
    return { reason: 'tls', message: `${words} (${after}): ${handshakeWords(code)}` };
  }
  return { reason: 'protocol', message: `the exchange with ${place} failed ${phaseWords[phase]} (${after})` };
}

/** Violations of HTTP/1.1, by error code. */
const protocolWords: Readonly<Record<string, string>> = {
  NOT_HTTP: 'did not answer in HTTP',
  ONLY_TLS: 'only speaks TLS on this port; use https://',
  ONLY_HTTP2: 'only speaks HTTP/2, which checks do not support',
  INTERIM_OVERFLOW: 'sent more than 100 interim responses',
  HPE_HEADER_OVERFLOW: 'sent more than 64 kB of headers',
  HPE_INVALID_VERSION: 'did not answer in HTTP/1.0 or HTTP/1.1',
  HPE_INVALID_STATUS: 'sent an invalid status code',
  HPE_INVALID_HEADER_TOKEN: 'sent a malformed header',
  HPE_INVALID_CONTENT_LENGTH: 'sent an invalid Content-Length header',
  HPE_UNEXPECTED_CONTENT_LENGTH: 'sent several different Content-Length headers',
  HPE_INVALID_TRANSFER_ENCODING: 'sent an invalid Transfer-Encoding header',
  HPE_INVALID_CHUNK_SIZE: 'sent a body with an invalid chunk size',
  HPE_STRICT: 'sent a malformed chunked body',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'sent more than 16 kB of chunk extensions',
  HPE_UPGRADE: 'switched protocols without being asked to',
};

export type Phase = 'dns' | 'connect' | 'tls' | 'firstByte' | 'download';

const phaseWords: Readonly<Record<Phase, string>> = {
  dns: 'during the name lookup',
  connect: 'while connecting',
  tls: 'during the TLS handshake',
  firstByte: 'before it responded',
  download: 'before the response was complete',
};

/** Describes a probe that exceeded its time limit. */
export function timeoutFault(limitMs: number, phase: Phase, place: string): Fault {
  const message = `${timeoutWords[phase](place)} within ${spoken(limitMs)}`;
  const unresolved = phase === 'dns' && { unresolved: withoutPort(place) };
  return { reason: 'timeout', message, timeMarginMs: marginOfLimit(limitMs), ...unresolved };
}

function withoutPort(place: string): string {
  return place.replace(/:\d+$/, '');
}

const timeoutWords: Readonly<Record<Phase, (place: string) => string>> = {
  dns: (place) => `the name lookup for ${withoutPort(place)} did not finish`,
  connect: (place) => `the connection to ${place} was not established`,
  tls: (place) => `the TLS handshake with ${place} did not finish`,
  firstByte: (place) => `${place} did not respond`,
  download: (place) => `the response from ${place} was not complete`,
};

/** Whether any interface except loopback is up. */
function hasNetwork(): boolean {
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ internal }) => !internal));
}
