// The optional HTTP proxy for all requests: its configuration and connections through it (docs/decisions/0027).
import { connect, type Socket } from 'node:net';
import { hostAndPort } from '#lib/net/host-and-port.ts';
import type { Tunnel } from '#lib/net/guarded.ts';

/** An HTTP proxy that supports CONNECT. */
export interface Proxy {
  readonly host: string;
  readonly port: number;
  /** Secret `proxy-authorization` value; null = none. */
  readonly authorization: string | null;
}

/** Parses `http://user:password@host:port`; undefined if invalid. */
export function readProxy(text: string): Proxy | undefined {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'http:' || url.hostname === '') return undefined;
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
  const userInfo = [url.username, url.password].map((part) => decodeURIComponent(part)).join(':');
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 80 : Number(url.port),
    authorization: userInfo === ':' ? null : `Basic ${Buffer.from(userInfo).toString('base64')}`,
  };
}

/** Maximum bytes of the proxy's response. */
const maxHeadBytes = 16 * 1024;
const headEnd = '\r\n\r\n';

/**
 * Returns a tunnel through a proxy. Error codes: `PROXY_FAILED` = the proxy does not work; `PROXY_REFUSED` = it did not
 * connect to the target. The messages are for users.
 */
export function tunnelThrough(proxy: Proxy): Tunnel {
  const place = hostAndPort(proxy.host, proxy.port);
  return ({ host, port }, done) => {
    const target = hostAndPort(host, port);
    const socket = connect({ host: proxy.host, port: proxy.port });
    let head = Buffer.alloc(0);
    const end = (error: Error | null): void => {
      socket.off('readable', onReadable).off('error', onError).off('close', onClose);
      // Ignore later errors.
      if (error !== null) socket.on('error', () => {}).destroy();
      done(error, error === null ? socket : null);
    };
    const onError = (error: NodeJS.ErrnoException): void =>
      end(
        failure(
          'PROXY_FAILED',
          `the proxy ${place} cannot be used: ${connectWords[error.code ?? ''] ?? 'the connection failed'}`,
        ),
      );
    const onClose = (): void =>
      end(failure('PROXY_FAILED', `the proxy ${place} closed the connection before it responded`));
    const onReadable = (): void => {
      for (let bytes = read(socket); bytes !== null; bytes = read(socket)) {
        head = Buffer.concat([head, bytes]);
        const at = head.indexOf(headEnd);
        if (at >= 0) {
          const rest = head.subarray(at + headEnd.length);
          const problem = problemOf(head.toString('latin1', 0, at), place, target);
          // Bytes after the response come from the target.
          if (problem === null && rest.length > 0) socket.unshift(rest);
          return end(problem);
        }
        if (head.length > maxHeadBytes)
          return end(failure('PROXY_FAILED', `the proxy ${place} sent more than 16 kB of headers`));
      }
    };
    socket.setNoDelay(true).on('readable', onReadable).once('error', onError).once('close', onClose);
    const authorization = proxy.authorization === null ? '' : `proxy-authorization: ${proxy.authorization}\r\n`;
    socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${authorization}\r\n`);
    return () => {
      socket.off('readable', onReadable).off('error', onError).off('close', onClose);
      socket.on('error', () => {}).destroy();
    };
  };
}

const connectWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'no route to host',
  ENOTFOUND: 'its name does not exist',
  EAI_AGAIN: 'its name could not be resolved',
  EMFILE: 'no file descriptors are left',
};

function read(socket: Socket): Buffer | null {
  return socket.read() as Buffer | null;
}

function problemOf(head: string, place: string, target: string): Error | null {
  const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? Number.NaN);
  if (status >= 200 && status < 300) return null;
  if (Number.isNaN(status)) return failure('PROXY_FAILED', `the proxy ${place} did not answer in HTTP`);
  if (status === 407)
    return failure('PROXY_FAILED', `the proxy ${place} rejected the user name or password (status 407)`);
  return failure(
    'PROXY_REFUSED',
    `the proxy ${place} did not connect to ${target}: it responded with status ${status}`,
  );
}

function failure(code: 'PROXY_FAILED' | 'PROXY_REFUSED', message: string): Error {
  return Object.assign(new Error(message), { code });
}
