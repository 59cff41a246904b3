// Says in one sentence why an attempt brought no good answer, and of which class that is (decisions: Log).
import type { AttemptError } from '#domain/delivery.ts';
import { handshakeWords, isTlsCode } from '#lib/tls-words.ts';

/** Why an attempt failed: a closed class and a sentence for people. */
export interface SendError {
  readonly class: AttemptError;
  readonly message: string;
}

interface Failure extends Error {
  readonly code?: string;
  readonly address?: string;
  readonly port?: number;
  readonly hostname?: string;
}

/** The failure itself: of several addresses tried in turn, the last one's. */
function innermost(error: unknown): Failure {
  let inner = error as Failure & { errors?: unknown[]; cause?: unknown };
  while (inner instanceof AggregateError && inner.errors.length > 0) inner = inner.errors.at(-1) as typeof inner;
  return inner;
}

const connectCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused by',
  EHOSTUNREACH: 'no route to',
  ENETUNREACH: 'no network to reach',
  EADDRNOTAVAIL: 'no local address to reach',
  ETIMEDOUT: 'no connection to',
  UND_ERR_CONNECT_TIMEOUT: 'no connection to',
  EACCES: 'this machine does not allow a connection to',
  EPERM: 'this machine does not allow a connection to',
};

/** How undici words an answer that it will not take. */
const unasked = /^bad (response|upgrade)$/;

/**
 * What a failed attempt is recorded as.
 *
 * @param origin of the request, such as `https://hooks.example.com`
 * @param afterMs since the attempt's start
 */
export function describeFailure(error: unknown, origin: string, afterMs: number): SendError {
  const failure = innermost(error);
  const code = failure.code ?? '';
  const { hostname, host, port, protocol } = new URL(origin);
  const target = port === '' ? `${hostname}:${protocol === 'https:' ? 443 : 80}` : host;
  const after = `after ${afterMs} ms`;
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') {
    return { class: 'interrupted', message: 'the process is stopping' };
  }
  if (code === 'PROXY_FAILED' || code === 'PROXY_REFUSED') return { class: 'connect', message: failure.message };
  if (code === 'EGRESS_REFUSED') return { class: 'egress-refused', message: failure.message };
  if (code === 'ENOTFOUND' || code === 'ENODATA') {
    return { class: 'dns', message: `no address is known for ${hostname} (${code})` };
  }
  if (code.startsWith('EAI_') || ['ESERVFAIL', 'EREFUSED', 'ETIMEOUT', 'ENONAME'].includes(code)) {
    return { class: 'dns', message: `the name ${hostname} could not be looked up (${code})` };
  }
  const connect = connectCodes[code];
  if (connect !== undefined) {
    const address = failure.address === undefined ? target : addressText(failure.address, failure.port);
    return { class: 'connect', message: `${connect} ${address} ${after}` };
  }
  if (code === 'CERTIFICATE_REFUSED') return { class: 'tls', message: failure.message };
  if (isTlsCode(code)) {
    return { class: 'tls', message: `TLS handshake with ${target} failed ${after}: ${handshakeWords(code)}` };
  }
  if (code === 'UND_ERR_SOCKET' && unasked.test(failure.message)) {
    const message = `${target} answered what was not asked for: an interim answer 100, another protocol, or more than one answer`;
    return { class: 'protocol', message };
  }
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET' || code === 'ECONNABORTED') {
    return { class: 'reset', message: `${target} closed the connection ${after}, before its answer was complete` };
  }
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return { class: 'protocol', message: `the request cannot be sent: ${oneLine(failure.message)}` };
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return { class: 'protocol', message: `${target} answered with more than 16 kB of headers` };
  }
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return { class: 'protocol', message: `${target} answered with a body of another length than its headers say` };
  }
  if (code.startsWith('HPE_') || code === 'UND_ERR_BAD_REQUEST' || failure.name === 'HTTPParserError') {
    return { class: 'protocol', message: `${target} did not answer in HTTP: ${oneLine(failure.message)}` };
  }
  return { class: 'protocol', message: `no valid answer from ${target}: ${oneLine(failure.message)}` };
}

function addressText(address: string, port: number | undefined): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return port === undefined ? host : `${host}:${port}`;
}

/** The first line of a message, of reasonable length: never a stack. */
function oneLine(message: string): string {
  const [line = ''] = message.split('\n');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
