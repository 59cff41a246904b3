// What went wrong on the way, as a class and a sentence: never a stack, never an error code alone.
import { networkInterfaces } from 'node:os';
import { marginOfLimit, withheldAboveMs } from '#domain/honest-finding.ts';
import type { Reason } from '#domain/result.ts';
import { handshakeWords } from '#lib/tls-words.ts';

/** Why there was no usable answer. */
export interface Fault {
  readonly reason: Reason;
  readonly message: string;
  /** How much delay of our own it can bear, ms; absent = it does not rest on time. */
  readonly timeMarginMs?: number;
}

/** Whether a reason is one of the observer: then there is no verdict. */
export function isOfObserver(reason: Reason): boolean {
  return reason === 'observer-network' || reason === 'runtime' || reason === 'crashed';
}

/** The `code` of an error of Node's, '' when it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** A duration for a sentence: "3 ms", "12.3 s". */
export function spoken(ms: number): string {
  if (ms >= 10_000) return `${Number((ms / 1000).toFixed(1))} s`;
  return `${ms < 10 ? Number(ms.toFixed(1)) : Math.round(ms)} ms`;
}

const dnsWords: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no such name',
  ENODATA: 'the name has no address of the wanted family',
  ESERVFAIL: 'the name server failed',
  EREFUSED: 'the name server refused the question',
  ETIMEOUT: 'no name server answered',
  ECONNREFUSED: 'no name server could be reached',
  EBADNAME: 'it is not a valid name',
};

/** A name that could not be resolved, or was refused. */
export function resolveFault(error: unknown, host: string, ms: number, isOnline = hasNetwork): Fault {
  const code = codeOf(error);
  if (code === 'EGRESS_REFUSED') return refusal(error instanceof Error ? error.message : host);
  const isSilent = code === 'ETIMEOUT' || code === 'ECONNREFUSED' || code === 'EAI_AGAIN';
  if (isSilent && !isOnline()) {
    return { reason: 'observer-network', message: `this machine has no network: ${host} could not be looked up` };
  }
  const message = `${host} cannot be resolved: ${dnsWords[code] ?? code} (after ${spoken(ms)})`;
  return { reason: 'dns', message, ...(isSilent && { timeMarginMs: withheldAboveMs }) };
}

/** An address that the egress policy refuses. */
export function refusal(sentence: string): Fault {
  return { reason: 'egress-refused', message: `refused by the egress policy: ${sentence}` };
}

const connectWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused by',
  ETIMEDOUT: 'connection attempt timed out at',
  EHOSTUNREACH: 'no route to host',
  EHOSTDOWN: 'host is down:',
  ECONNRESET: 'connection reset by',
  EACCES: 'this machine does not allow connecting to',
  EPERM: 'this machine does not allow connecting to',
};
const exhausted: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);
/** What a machine without one of the families says of that family's addresses. */
const noRoute: ReadonlySet<string> = new Set(['ENETUNREACH', 'ENETDOWN', 'EAFNOSUPPORT', 'EADDRNOTAVAIL']);

/** No address could be connected to. `errors` are those of all addresses; the first that tells of the target is told. */
export function connectFault(errors: readonly unknown[], place: string, ms: number): Fault {
  const codes = errors.map(codeOf);
  const own = codes.find((each) => exhausted.has(each));
  const isUnreached = codes.every((each) => noRoute.has(each));
  // Without a free port the one address of a target fails like this; beside another family it is a family not had.
  const spent = own ?? (isUnreached ? codes.find((each) => each === 'EADDRNOTAVAIL') : undefined);
  if (spent !== undefined) {
    return {
      reason: 'observer-network',
      message: `this machine could not open another connection (${spent}) to ${place}`,
    };
  }
  if (isUnreached) return { reason: 'observer-network', message: `this machine has no network route to ${place}` };
  const code = codes.find((each) => !noRoute.has(each)) ?? '';
  return {
    reason: 'connect',
    message: `${connectWords[code] ?? `connecting failed (${code}) to`} ${place} after ${spoken(ms)}`,
  };
}

/** A proxy made no connection: that of the operator is at fault, or it says that the target is. */
export function proxyFault(error: unknown): Fault {
  const message = error instanceof Error ? error.message : String(error);
  if (codeOf(error) === 'EGRESS_REFUSED') return refusal(message);
  return { reason: codeOf(error) === 'PROXY_REFUSED' ? 'connect' : 'observer-network', message };
}

/** The connection failed after it was made. */
export function streamFault(error: unknown, place: string, phase: Phase, ms: number): Fault {
  const code = codeOf(error);
  const after = `after ${spoken(ms)}`;
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ECONNABORTED' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    const message = `connection closed by ${place} ${phaseWords[phase]} ${after}`;
    // The other side may have waited too long for us.
    return { reason: 'reset', message, timeMarginMs: withheldAboveMs };
  }
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return { reason: 'connect', message: `connection to ${place} was lost ${phaseWords[phase]} ${after} (${code})` };
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { reason: 'protocol', message: `${place} sent more than 64 kB of headers` };
  }
  if (code.startsWith('HPE_')) {
    const detail = error instanceof Error ? error.message.replace(/^Parse Error: /, '') : code;
    return { reason: 'protocol', message: `${place} did not answer in valid HTTP: ${detail}` };
  }
  if (phase === 'tls' || code.startsWith('ERR_SSL') || code.startsWith('ERR_TLS') || code === 'EPROTO') {
    return { reason: 'tls', message: `TLS handshake with ${place} failed ${after}: ${handshakeWords(code)}` };
  }
  return {
    reason: 'protocol',
    message: `the exchange with ${place} failed ${phaseWords[phase]} ${after} (${code || 'unknown error'})`,
  };
}

/** Where a request was when it ended. */
export type Phase = 'dns' | 'connect' | 'tls' | 'firstByte' | 'download';

const phaseWords: Readonly<Record<Phase, string>> = {
  dns: 'while its name was looked up',
  connect: 'while connecting',
  tls: 'during the TLS handshake',
  firstByte: 'before an answer came',
  download: 'before the answer was complete',
};

/** The whole probe took too long. */
export function timeoutFault(limitMs: number, phase: Phase, place: string): Fault {
  return {
    reason: 'timeout',
    message: `no complete answer from ${place} within ${spoken(limitMs)}: it ended ${phaseWords[phase]}`,
    timeMarginMs: marginOfLimit(limitMs),
  };
}

/** Whether an interface other than loopback is up. */
function hasNetwork(): boolean {
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ internal }) => !internal));
}
