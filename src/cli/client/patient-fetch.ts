// `fetch` of client commands: waits if the server asks for it, and explains in one line why there is no response.
import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '#lib/errors.ts';
import { handshakeWords, isTlsCode, trustHint } from '#lib/net/tls-words.ts';
import { commandName } from '#lib/package-files.ts';
import { CommandError } from '../exits.ts';
import { oneLine } from '../terminal-text.ts';

/** Longest wait for a rate limit in total, s. */
const longestWaitS = 300;
/** Largest response. Those of Tocsin are much smaller. */
const mostMegabytes = 100;

/** There was no response: a later attempt may succeed. */
export class Unreachable extends CommandError {}

/** What messages name. */
interface Named {
  readonly url: string;
  readonly keySource: string;
  /** What to do if the key is rejected; default: log in with another one. */
  readonly keyHint?: string;
}

/** @param say prints a line for people while the command waits */
export function patientFetch({ url, keySource, keyHint }: Named, say: (line: string) => void): typeof fetch {
  return async (input, init) => {
    let waitedS = 0;
    for (;;) {
      const response = await fetch(input, { ...init, redirect: 'manual' }).catch((error: unknown) => {
        throw init?.signal?.aborted === true ? error : new Unreachable(unreachableText(url, error));
      });
      if (response.status >= 300 && response.status < 400) throw redirected(url, response);
      if (response.status === 401) {
        const hint = keyHint ?? `Run ${commandName} login ${url} with another key.`;
        throw new CommandError(`${url} rejected the API key of ${keySource}. ${hint}`);
      }
      const waitS = waitOf(response, init?.method ?? 'GET');
      if (waitS === null || waitedS + waitS > longestWaitS) return bounded(url, response);
      await response.body?.cancel();
      say(`The server asks to wait ${waitS} s.`);
      await delay(waitS * 1000, undefined, init?.signal ? { signal: init.signal } : {});
      waitedS += waitS;
    }
  };
}

/** The response, which fails if it is too large. Streams of events have no end. */
function bounded(url: string, response: Response): Response {
  const { body, headers } = response;
  if (body === null || headers.get('content-type')?.startsWith('text/event-stream') === true) return response;
  let left = mostMegabytes * 1_048_576;
  const counted = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      left -= chunk.length;
      if (left < 0) throw new CommandError(`${url} sends more than ${mostMegabytes} MB`);
      controller.enqueue(chunk);
    },
  });
  return new Response(body.pipeThrough(counted), response);
}

/** Seconds after which to repeat a request; null = it is not repeated. A 503 may follow work that was done. */
function waitOf({ status, headers }: Response, method: string): number | null {
  if (status !== 429 && !(status === 503 && method === 'GET')) return null;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.max(1, Math.ceil(seconds)) : null;
}

/** Following it would send the key to another address, or lose it. */
function redirected(url: string, { headers }: Response): CommandError {
  const to = URL.parse(headers.get('location') ?? '', url);
  const hint =
    to === null || to.origin === new URL(url).origin ? '' : `: use ${oneLine(to.origin)} if that is the server`;
  return new CommandError(`${url} redirects to another address${hint}`);
}

const networkWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused. Is the server running?',
  ECONNRESET: 'the connection was closed',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'unknown host name',
  EAI_AGAIN: 'the host name cannot be resolved now',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'the network is not reachable',
  ETIMEDOUT: 'no response in time',
  UND_ERR_CONNECT_TIMEOUT: 'no response in time',
  UND_ERR_HEADERS_TIMEOUT: 'no response in time',
};

/** Why there is no response, in one line. @param error what fetch threw */
export function unreachableText(url: string, error: unknown): string {
  const cause: unknown = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  const known = Object.hasOwn(networkWords, code) ? networkWords[code] : undefined;
  return `cannot reach ${url}: ${known ?? tlsText(code) ?? oneLine(errorMessage(cause))}`;
}

function tlsText(code: string): string | null {
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
    return 'the server does not use TLS on this port; use http:// if that is intended';
  }
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for another host name';
  if (/^(CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA)/.test(code))
    return `its certificate is not trusted (${code}). ${trustHint}`;
  return isTlsCode(code) ? handshakeWords(code) : null;
}
