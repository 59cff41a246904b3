// Describes a failed attempt: error class and message (decisions: Log).
import type { AttemptError } from '#domain/deliveries/delivery.ts';
import { handshakeWords, isTlsCode } from '#lib/net/tls-words.ts';

/** A failed attempt: one of a fixed set of classes, and a message for people. */
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

/** Errors of a machine without the address family; they are not about the receiver. */
const noRoute: ReadonlySet<string> = new Set(['ENETUNREACH', 'ENETDOWN', 'EAFNOSUPPORT', 'EADDRNOTAVAIL']);

/** If several addresses failed, returns the first error that is about the receiver. */
function innermost(error: unknown): Failure {
  if (!(error instanceof AggregateError)) return error as Failure;
  const errors = error.errors as Failure[];
  return errors.find(({ code = '' }) => !noRoute.has(code)) ?? errors[0] ?? error;
}

const connectCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused by',
  EHOSTUNREACH: 'no route to',
  ENETUNREACH: 'this machine has no network route to',
  EADDRNOTAVAIL: 'this machine has no free local port to connect to',
  ETIMEDOUT: 'connection attempt timed out at',
  UND_ERR_CONNECT_TIMEOUT: 'connection attempt timed out at',
  EACCES: 'this machine does not allow connecting to',
  EPERM: 'this machine does not allow connecting to',
};

/**
 * Describes a failed attempt for the log.
 *
 * @param origin of the request, such as `https://hooks.example.com`
 * @param afterMs milliseconds since the start of the attempt
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
    return { class: 'dns', message: `${hostname} cannot be resolved: no such name (${code})` };
  }
  if (code.startsWith('EAI_') || ['ESERVFAIL', 'EREFUSED', 'ETIMEOUT', 'ENONAME'].includes(code)) {
    return { class: 'dns', message: `${hostname} cannot be resolved: the name server failed (${code})` };
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
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET' || code === 'ECONNABORTED') {
    return { class: 'reset', message: `${target} closed the connection ${after} without a complete response` };
  }
  if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED') {
    return { class: 'protocol', message: `the request cannot be sent: ${oneLine(failure.message)}` };
  }
  return { class: 'protocol', message: `${target} sent an invalid response: ${oneLine(failure.message)}` };
}

/** Describes a failure after a complete head. */
export function bodyProblemOf(error: Error & { readonly code?: string }): string {
  const { code = '', name } = error;
  if (name === 'HTTPParserError') return 'its chunked encoding is invalid';
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'its trailers are too large';
  return 'the connection closed early';
}

function addressText(address: string, port: number | undefined): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return port === undefined ? host : `${host}:${port}`;
}

/** First line of a message, shortened. Never includes a stack trace. */
function oneLine(message: string): string {
  const [line = ''] = message.split('\n');
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
