// One request and its answer, from the first try to the last byte or the deadline (docs/decisions/0064).
import type { Socket } from 'node:net';
import type { Message, SendOutcome } from '#domain/alerts/delivery.ts';
import type { Dispatcher } from 'undici';
import { Answer } from './answer.ts';
import type { ConnectedHandler, Connection, Connections, ResponseReader } from './connection.ts';
import { encodeHead, HeadReader, type NotHttp1, NotHttp1Error, type ResponseHead } from '#lib/net/response-head.ts';
import { bodyProblemOf, describeFailure } from './send-error.ts';
import type { SendError } from './send-error.ts';

/** Responses of status 1xx that may come before the response itself. */
const mostInterim = 100;
/** How long a body may take after its head, ms: the head decides, and the next delivery of the check waits. */
const bodyMs = 5000;
/** Bytes of the wire that are parsed of one head, with all that stands between its names and values. */
const mostHeadBytes = 64 * 1024;
/** Bytes of header names and values that are passed on; headers beyond them are dropped, those that frame the body never. */
const keptHeaderBytes = 16 * 1024;
/** Bytes of the wire that are parsed of a body, with what frames it. */
const mostBodyBytes = 128 * 1024;
/**
 * How soon after its use a kept connection is lost when its receiver closed it at the same moment, ms: longer than any way there
 * and back. A receiver that ends it later had the request, and may have worked on it.
 */
const crossedWithinMs = 1000;

type Ended = Pick<SendOutcome, 'durationMs' | 'response' | 'error' | 'isSentTwice' | 'bodyProblem'>;
type Controller = Dispatcher.DispatchController;

/** Over what an exchange goes. */
export interface Ways {
  /** Connections that are kept. */
  readonly pooled: Connections;
  /** Connections for one request each. */
  readonly fresh: Connections;
  /** null = may be sent to; otherwise the sentence of the refusal. */
  readonly judge: (address: string, port: number) => string | null;
}

/** Header values go out as UTF-8 bytes, which the client takes as latin-1 text. */
function wireHeaders(headers: readonly (readonly [string, string])[]): string[] {
  const list: string[] = [];
  for (const [name, value] of headers) {
    // oxlint-disable-next-line no-control-regex -- every character outside of ASCII
    list.push(name, /[^\u0000-\u007f]/.test(value) ? Buffer.from(value, 'utf8').toString('latin1') : value);
  }
  return list;
}

/** Sends one request; asks the client at its lowest level, because this is the hot path of a deliverer. */
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
  /** Bytes that were parsed since the request, or the last head, was complete. */
  #parsed = 0;
  #socket: Socket | null = null;
  /** What the connection had brought before this request. */
  #bytesBefore = 0;
  #isReused = false;
  /** When the request was given to its connection. */
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
   * Sends over a connection that may be kept alive; when its receiver closed it at that moment, which is within a second, and
   * nothing was answered, once more and at once over a fresh one, within the same deadline.
   */
  run(ways: Ways): Promise<Ended> {
    this.#ways = ways;
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#timer = setTimeout(() => this.#fail(this.#timeout()), this.#deadlineMs);
      this.#dispatch(ways.pooled);
    });
  }

  /** Ends it now, because the process stops. */
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
    const refused = this.#ways?.judge(this.#socket?.remoteAddress ?? '', this.#socket?.remotePort ?? 0);
    if (refused !== null) {
      this.#fail({ class: 'egress-refused', message: refused ?? 'the remote address is unknown' });
      return;
    }
    this.#sentAfterMs = this.#elapsed();
    if (this.connection !== null) this.connection.reader = this;
  }

  /** Rewrites the head for undici's strict parser; interim responses are passed over. */
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
    const mostMs = Math.min(bodyMs, this.#deadlineMs - this.#elapsed());
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fail(this.#timeout()), mostMs);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#settle === null || this.#answer?.add(chunk) !== false) return;
    this.#end(null);
    controller.abort(new Error('enough was read'));
  }

  onResponseEnd(): void {
    // Answered before all of the request was taken: what comes next on this connection would wait behind it.
    if (this.#socket !== null && this.#socket.writableLength > 0) this.#socket.destroy();
    this.#end(null);
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (this.#settle === null) return;
    if (this.#ways !== null && !this.#isSecondTry && this.#wasKeptAndLost(error)) {
      this.#isSecondTry = true;
      this.#letGo();
      this.#dispatch(this.#ways.fresh);
      return;
    }
    if (this.#answer === null) this.#fail(describeFailure(error, this.#options.origin, this.#elapsed()));
    else this.#end(null, bodyProblemOf(error));
  }

  /** Ends it when its receiver sends more than is read: no parser would, and the deadline is far. */
  onBytes(count: number): void {
    const most = this.#answer === null ? mostHeadBytes : mostBodyBytes;
    this.#parsed += count;
    if (this.#parsed - count < most) return;
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

  /** What comes over the connection from now on is no longer an answer to this. */
  #letGo(): void {
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

  /** Whether the connection had served an earlier request and was lost as this one used it, before one byte of its answer. */
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

  /** After a complete head, a failure is a problem of the body. */
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
    this.#letGo();
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
    let message = `no connection to ${this.#host()} ${within}`;
    if (this.#answer !== null) message = 'its body did not finish in time';
    else if (this.#sentAfterMs !== null) {
      message = `no response ${within}; the request was sent after ${this.#sentAfterMs} ms`;
    }
    return { class: 'timeout', message };
  }
}

const notHttp1: Readonly<Record<NotHttp1, string>> = {
  NOT_HTTP: 'did not answer in HTTP',
  ONLY_HTTP2: 'only speaks HTTP/2, which webhooks do not support',
  ONLY_TLS: 'only speaks TLS on this port; use https://',
};

/** Why no response follows a head of this status; null = one does. @param count of such heads so far */
function interimProblem(status: number | null, count: number): string | null {
  if (status === null) return notHttp1.NOT_HTTP;
  if (status < 100) return `returned the invalid status ${String(status).padStart(3, '0')}`;
  if (status === 101) return 'switched protocols (101)';
  return count > mostInterim ? `sent more than ${mostInterim} interim responses, most recently ${status}` : null;
}

/** A head as undici reads it. */
function strictHead({ statusLine, status, fields }: ResponseHead): Buffer {
  let size = 0;
  const kept = fields.filter(
    ([name, value]) => isFraming.test(name) || (size += name.length + value.length) <= keptHeaderBytes,
  );
  return encodeHead(`${statusLine.startsWith('HTTP/1.0') ? 'HTTP/1.0' : 'HTTP/1.1'} ${status} `, kept);
}

const isFraming = /^(?:transfer-encoding|content-length)$/i;
