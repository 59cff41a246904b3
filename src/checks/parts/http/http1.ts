// One HTTP/1.1 request and response over an open connection.
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { ResponseHeadFilter } from '#lib/net/response-head.ts';
import type { BodyStore } from './body-store.ts';
import type { OutgoingRequest } from './plan.ts';

/** Maximum bytes read of a response body. */
export const maxBodyBytes = 5 * 1024 * 1024;
/** More than the filter passes on, which enforces the limit. */
const maxHeaderBytes = 128 * 1024;
const maxInterim = 100;
/** Every chunk costs time. */
const maxChunks = 80_000;

/** A response so far. Times are from `performance.now()`; 0 = not reached. */
export interface Received {
  firstByteAt: number;
  answer: IncomingMessage | null;
  readonly body: BodyStore;
  bodyBytes: number;
  /** Whether the body exceeds the limit, so that the rest was not read. */
  isCut: boolean;
}

export interface Reading {
  /** Whether to read this body. Bodies of followed redirects are not read. */
  readonly wantsBody: (answer: IncomingMessage) => boolean;
  /** Maximum bytes of the body. Default: `maxBodyBytes`. */
  readonly maxBytes?: number;
}

/** Error of a connection that closed without one. */
export const closed: Error = withCode('ECONNRESET');

/**
 * Sends the request and reads the response. Ignores bytes after it, because the connection is not reused. Calls
 * `finish` or `fail` at least once.
 */
export function exchange(
  { method, target, headers, body }: OutgoingRequest,
  socket: Socket,
  hop: Received,
  deps: Reading,
  finish: (fault: null) => void,
  fail: (error: unknown) => void,
): void {
  const filter = new ResponseHeadFilter();
  const message = request({
    method,
    path: target.path,
    headers: wireHeaders(method, target.hostHeader, headers, body),
    createConnection: () => new FilteredConnection(socket, filter),
    maxHeaderSize: maxHeaderBytes,
    insecureHTTPParser: true,
    host: target.host,
  });
  message.on('error', (error) => {
    if (hop.answer?.complete !== true) fail(error);
  });
  let interim = 0;
  message.on('information', () => {
    if (++interim > maxInterim) fail(withCode('INTERIM_OVERFLOW'));
  });
  message.once('upgrade', () => fail(withCode('HPE_UPGRADE')));
  message.once('response', (answer) => {
    const { statusCode = 0 } = answer;
    if (answer.httpVersionMajor !== 1) return fail(withCode('HPE_INVALID_VERSION'));
    if (statusCode < 200) return fail(withCode(statusCode < 100 ? 'HPE_INVALID_STATUS' : 'HPE_UPGRADE'));
    hop.firstByteAt = performance.now();
    hop.answer = answer;
    if (filter.problem !== null) fail(withCode(filter.problem));
    else if (deps.wantsBody(answer)) readBody(answer, hop, deps.maxBytes ?? maxBodyBytes, finish, fail);
    else finish(null);
  });
  message.end(body ?? undefined);
}

function readBody(
  answer: IncomingMessage,
  hop: Received,
  maxBytes: number,
  finish: (fault: null) => void,
  fail: (error: unknown) => void,
): void {
  let chunks = 0;
  answer.on('data', (chunk: Buffer) => {
    hop.bodyBytes += chunk.length;
    hop.body.add(chunk);
    if (hop.bodyBytes <= maxBytes && ++chunks <= maxChunks) return;
    hop.isCut = true;
    finish(null);
  });
  // Before Node's own listener, which ends the connection gracefully.
  answer.prependOnceListener('end', () => finish(null));
  answer.on('error', fail);
  answer.once('close', () => fail(closed));
}

/** A connection that repairs response heads before Node.js parses them. */
class FilteredConnection extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket, filter: ResponseHeadFilter) {
    super();
    this.#socket = socket;
    const pass = (bytes: () => Buffer): boolean => {
      try {
        return this.push(bytes());
      } catch (error) {
        this.destroy(error instanceof Error ? error : closed);
        return false;
      }
    };
    socket.on('data', (chunk: Buffer) => {
      if (!pass(() => filter.push(chunk))) socket.pause();
    });
    socket.once('end', () => {
      pass(() => filter.end());
      this.push(null);
    });
    socket.on('error', (error) => this.destroy(error));
    socket.once('close', () => this.destroy());
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

function withCode(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function wireHeaders(
  method: string,
  host: string,
  headers: readonly (readonly [string, string])[],
  body: Buffer | null,
): string[] {
  const flat = headers.flat();
  if (!headers.some(([name]) => name.toLowerCase() === 'host')) flat.unshift('host', host);
  flat.push('connection', 'close');
  const sendsBody = method === 'POST' || method === 'PUT' || method === 'PATCH';
  if (body !== null || sendsBody) flat.push('content-length', String(body?.length ?? 0));
  return flat;
}
