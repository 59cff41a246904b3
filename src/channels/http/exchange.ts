// One request and its response, up to the last byte or the deadline (docs/decisions/0064).
import type { Socket } from 'node:net';
import type { Message, SendOutcome } from '#domain/deliveries/delivery.ts';
import type { Dispatcher } from 'undici';
import type { ConnectedHandler, Connection, Connections, ResponseReader } from './connection.ts';
import { encodeHead, HeadReader, type NotHttp1, NotHttp1Error, type ResponseHead } from '#lib/net/response-head.ts';
import { bodyProblemOf, describeFailure, type SendError } from './send-error.ts';

/** Interim (1xx) responses accepted before the final one. */
const maxInterim = 100;
/** Maximum time for a body after its head. The head decides the outcome, and the check's next delivery waits. */
const bodyMs = 5000;
/** Maximum bytes parsed for one head, separators included. */
const maxHeadBytes = 64 * 1024;
/** Bytes of header names and values passed on. Further headers are dropped, except those that frame the body. */
const keptHeaderBytes = 16 * 1024;
/** Maximum bytes parsed for a body, framing included. */
const maxBodyBytes = 128 * 1024;
/**
 * If a pooled connection is lost within this time, the receiver closed it before it saw the request. A receiver that
 * closes later may have processed the request.
 */
const crossedWithinMs = 1000;

type Ended = Pick<SendOutcome, 'durationMs' | 'response' | 'error' | 'isSentTwice' | 'bodyProblem'>;
type Controller = Dispatcher.DispatchController;

/** Connections and policy for an exchange. */
export interface Ways {
  /** Keep-alive connections. */
  readonly pooled: Connections;
  /** Single-use connections. */
  readonly fresh: Connections;
  /** Returns the reason for a refusal, or null if sending is allowed. */
  readonly judge: (address: string, port: number) => string | null;
}

/** Encodes header values as UTF-8 bytes, which the client takes as latin-1 text. */
function wireHeaders(headers: readonly (readonly [string, string])[]): string[] {
  const list: string[] = [];
  for (const [name, value] of headers) {
    // oxlint-disable-next-line no-control-regex -- every character outside of ASCII
    list.push(name, /[^\u0000-\u007f]/.test(value) ? Buffer.from(value, 'utf8').toString('latin1') : value);
  }
  return list;
}

/** Sends one request. Uses the client's low-level interface because this is the hot path of deliveries. */
export class Exchange implements ConnectedHandler, ResponseReader {
  connection: Connection | null = null;
  readonly #options: Dispatcher.DispatchOptions & { origin: string };
  readonly #deadlineMs: number;
  readonly #startedAt = performance.now();
  #sentAfterMs: number | null = null;
  #answer: Answer | null = null;
  /** null once the head is complete. */
  #head: HeadReader | null = new HeadReader();
  #bodyProblem: string | null = null;
  #interim = 0;
  /** Bytes parsed since the last complete head. */
  #parsed = 0;
  #socket: Socket | null = null;
  /** Bytes received on the connection before this request. */
  #bytesBefore = 0;
  #isReused = false;
  /** Time the request was handed to its connection. */
  #usedAt = 0;
  #controller: Controller | null = null;
  #ways: Ways | null = null;
  #isSecondTry = false;
  #timer: NodeJS.Timeout | undefined;
  #settle: ((ended: Ended) => void) | null = null;

  constructor(request: Message, headers: readonly (readonly [string, string])[], deadlineMs: number) {
    const { origin, pathname, search } = new URL(request.url);
    this.#options = {
      origin,
      path: pathname + search,
      method: request.method,
      headers: wireHeaders(headers),
      body: request.body === '' ? null : request.body,
    };
    this.#deadlineMs = deadlineMs;
  }

  /**
   * Sends over a pooled connection. If the receiver closed it just then and sent nothing, retries at once over a new
   * connection within the same deadline.
   */
  run(ways: Ways): Promise<Ended> {
    this.#ways = ways;
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#timer = setTimeout(() => this.#fail(this.#timeout()), this.#deadlineMs);
      this.#dispatch(ways.pooled);
    });
  }

  /** Ends the exchange because the process is stopping. */
  interrupt(): void {
    this.#fail({ class: 'interrupted', message: 'the process stopped during the attempt' });
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#settle === null) {
      controller.abort(new Error('too late'));
      return;
    }
    this.#socket = this.connection?.socket ?? null;
    this.#bytesBefore = this.#socket?.bytesRead ?? 0;
    this.#isReused = this.connection?.hasServed === true;
    this.#usedAt = performance.now();
    const { remoteAddress, remotePort = 0 } = this.#socket ?? {};
    if (remoteAddress === undefined) {
      controller.abort(connectionLost);
      return;
    }
    const refused = this.#ways?.judge(remoteAddress, remotePort) ?? null;
    if (refused !== null) {
      this.#fail({ class: 'egress-refused', message: refused });
      return;
    }
    this.#sentAfterMs = this.#elapsed();
    if (this.connection !== null) this.connection.reader = this;
  }

  /** Rewrites the head for undici's strict parser and skips interim responses. */
  take(bytes: Buffer): Buffer | null {
    let chunk = bytes;
    while (this.#head !== null && this.#settle !== null) {
      const complete = this.#readHead(this.#head, chunk);
      if (complete === null) return null;
      const { head, rest } = complete;
      const { status } = head;
      this.#parsed = 0;
      if (status !== null && status >= 200) {
        this.#head = null;
        this.#bodyProblem = head.lengthProblem === null ? null : 'its content-length is invalid';
        return Buffer.concat([strictHead(head), rest]);
      }
      const problem = interimProblem(status, ++this.#interim);
      if (problem !== null) {
        this.#fail({ class: 'protocol', message: `${this.#host()} ${problem}` });
        return null;
      }
      this.#head = new HeadReader();
      chunk = rest;
    }
    return chunk;
  }

  #readHead(reader: HeadReader, chunk: Buffer): ReturnType<HeadReader['add']> {
    try {
      return reader.add(chunk);
    } catch (error) {
      const code = error instanceof NotHttp1Error ? error.code : 'NOT_HTTP';
      this.#fail({ class: 'protocol', message: `${this.#host()} ${notHttp1[code]}` });
      return null;
    }
  }

  onResponseStart(_controller: Controller, status: number, headers: Record<string, string | string[]>): void {
    this.#answer = new Answer(status, headers);
    if (this.connection !== null) this.connection.hasServed = true;
    const maxMs = Math.min(bodyMs, this.#deadlineMs - this.#elapsed());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(this.#timeout()), maxMs);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#settle === null || this.#answer?.add(chunk) !== false) return;
    this.#end(null);
    controller.abort(new Error('enough was read'));
  }

  onResponseEnd(): void {
    // The response came before the whole request was sent; the next request on this connection would wait behind it.
    if (this.#socket !== null && this.#socket.writableLength > 0) this.#socket.destroy();
    this.#end(null);
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (this.#settle === null) return;
    if (this.#ways !== null && !this.#isSecondTry && this.#wasKeptAndLost(error)) {
      this.#isSecondTry = true;
      this.#release();
      this.#dispatch(this.#ways.fresh);
      return;
    }
    if (this.#answer === null) this.#fail(describeFailure(error, this.#options.origin, this.#elapsed()));
    else this.#end(null, bodyProblemOf(error));
  }

  /** Ends the exchange if the receiver sends too much. The parser would not, and the deadline is far away. */
  onBytes(count: number): void {
    const max = this.#answer === null ? maxHeadBytes : maxBodyBytes;
    this.#parsed += count;
    if (this.#parsed - count < max) return;
    if (this.#answer === null) {
      this.#fail({
        class: 'protocol',
        message: `${this.#host()} sent more than 64 kB before its headers were complete`,
      });
    } else {
      this.#end(null);
      this.#controller?.abort(new Error('enough was read'));
    }
  }

  /** Detaches from the connection; later bytes do not belong to this response. */
  #release(): void {
    if (this.connection?.reader === this) this.connection.reader = null;
    this.#socket = null;
  }

  #dispatch(connections: Connections): void {
    try {
      connections.dispatch(this.#options, this);
    } catch (error) {
      this.#fail(describeFailure(error, this.#options.origin, this.#elapsed()));
    }
  }

  /** Whether a reused connection was lost before the first byte of this response. */
  #wasKeptAndLost({ code }: Error & { code?: string }): boolean {
    const isLost = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
    const isAtOnce = performance.now() - this.#usedAt < crossedWithinMs;
    return isLost && isAtOnce && this.#isReused && this.#bytesOfAnswer() === 0;
  }

  #bytesOfAnswer(): number {
    return (this.#socket?.bytesRead ?? 0) - this.#bytesBefore;
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  #host(): string {
    return new URL(this.#options.origin).host;
  }

  /** Records a failure. After a complete head, it counts as a problem of the body. */
  #fail(error: SendError): void {
    if (this.#answer === null) this.#end(error);
    else this.#end(null, error.message);
    this.#controller?.abort(new Error(error.class));
  }

  #end(error: SendError | null, bodyProblem: string | null = this.#bodyProblem): void {
    const settle = this.#settle;
    if (settle === null) return;
    this.#settle = null;
    clearTimeout(this.#timer);
    this.#release();
    const response = this.#answer?.recorded ?? null;
    const status = response?.status ?? 0;
    const answered: SendError | null =
      status > 399 ? { class: 'status', message: `the receiver answered with status ${status}` } : null;
    settle({
      durationMs: this.#elapsed(),
      response,
      error: error ?? answered,
      ...(this.#isSecondTry && { isSentTwice: true }),
      ...(bodyProblem !== null && { bodyProblem }),
    });
  }

  #timeout(): SendError {
    const within = `within ${this.#deadlineMs / 1000} s`;
    let message = `could not connect to ${this.#host()} ${within}`;
    if (this.#answer !== null) message = 'its body did not finish in time';
    else if (this.#sentAfterMs !== null) {
      message = `no response ${within}; the request was sent after ${this.#sentAfterMs} ms`;
    }
    return { class: 'timeout', message };
  }
}

/** A connection without a remote address: the receiver has reset it. */
const connectionLost = Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });

const notHttp1: Readonly<Record<NotHttp1, string>> = {
  NOT_HTTP: 'did not answer in HTTP',
  ONLY_HTTP2: 'only speaks HTTP/2, which webhooks do not support',
  ONLY_TLS: 'only speaks TLS on this port; use https://',
};

/** Returns why a head with this status ends the exchange, or null if it does not. @param count interim heads so far */
function interimProblem(status: number | null, count: number): string | null {
  if (status === null) return notHttp1.NOT_HTTP;
  if (status < 100) return `returned the invalid status ${String(status).padStart(3, '0')}`;
  if (status === 101) return 'switched protocols (101)';
  return count > maxInterim ? `sent more than ${maxInterim} interim responses, most recently ${status}` : null;
}

/** Formats a head the way undici expects it. */
function strictHead({ statusLine, status, fields }: ResponseHead): Buffer {
  let size = 0;
  const kept = fields.filter(
    ([name, value]) => isFraming.test(name) || (size += name.length + value.length) <= keptHeaderBytes,
  );
  return encodeHead(`${statusLine.startsWith('HTTP/1.0') ? 'HTTP/1.0' : 'HTTP/1.1'} ${status} `, kept);
}

const isFraming = /^(?:transfer-encoding|content-length)$/i;

/** Bytes of a body to record. */
const kept = 16 * 1024;
/** Further bytes to read and discard before closing the connection. */
const discarded = 48 * 1024;

/** A response that is still being read. */
class Answer {
  readonly #chunks: Buffer[] = [];
  readonly #status: number;
  readonly #headers: Record<string, string>;
  #size = 0;

  constructor(status: number, headers: Readonly<Record<string, string | string[] | undefined>>) {
    this.#status = status;
    this.#headers = flat(headers);
  }

  get status(): number {
    return this.#status;
  }

  /** Adds a chunk of the body; false = the read limit is exceeded. */
  add(chunk: Buffer): boolean {
    if (this.#size < kept) this.#chunks.push(chunk.subarray(0, kept - this.#size));
    this.#size += chunk.length;
    return this.#size <= kept + discarded;
  }

  /** The recorded form. */
  get recorded(): NonNullable<SendOutcome['response']> {
    return { status: this.#status, headers: this.#headers, body: bodyText(this.#chunks, this.#size > kept) };
  }
}

/** Text of the recorded body. Drops a partial character at the end; databases reject NUL, so it becomes U+FFFD. */
function bodyText(chunks: readonly Buffer[], isCut: boolean): string {
  if (chunks.length === 0) return '';
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  const text = isCut ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString('utf8');
  return text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text;
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const single: Record<string, string> = {};
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value !== undefined && name !== '__proto__')
      single[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return single;
}
