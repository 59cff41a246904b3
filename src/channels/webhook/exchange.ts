// One request and its answer, from the first try to the last byte or the deadline.
import type { RenderedRequest, SendOutcome } from '#domain/delivery.ts';
import type { Dispatcher } from 'undici';
import { bytesBefore } from './connector.ts';
import { describeFailure } from './send-error.ts';
import type { SendError } from './send-error.ts';

/** Bytes of an answer that are kept (decisions: Log). */
const kept = 16 * 1024;

type Ended = Pick<SendOutcome, 'durationMs' | 'response' | 'error'>;
type Controller = Dispatcher.DispatchController;

/** How far an exchange came, for the sentence that a timeout is told with. */
interface Progress {
  sentAfterMs: number | null;
  headersAfterMs: number | null;
}

/** Text of what was kept of a body. Half a character at the cut is left out, NUL becomes U+FFFD: databases refuse it. */
function bodyText(chunks: readonly Buffer[], isCut: boolean): string {
  if (chunks.length === 0) return '';
  const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
  const text = isCut ? new TextDecoder().decode(bytes.subarray(0, kept), { stream: true }) : bytes.toString('utf8');
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
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: Dispatcher.DispatchOptions & { origin: string };
  readonly #deadlineMs: number;
  readonly #startedAt = performance.now();
  readonly #progress: Progress = { sentAfterMs: null, headersAfterMs: null };
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #status = 0;
  #headers: Record<string, string> | null = null;
  #controller: Controller | null = null;
  #fresh: Dispatcher | null = null;
  #timer: NodeJS.Timeout | undefined;
  #settle: ((ended: Ended) => void) | null = null;

  constructor(request: RenderedRequest, headers: readonly (readonly [string, string])[], deadlineMs: number) {
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
   * Sends over a connection that may be kept alive; when its receiver closed it at that moment and nothing was answered,
   * once more and at once over a fresh one.
   */
  run(pooled: Dispatcher, fresh: Dispatcher): Promise<Ended> {
    this.#fresh = fresh;
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#timer = setTimeout(() => this.#fail(this.#timeout()), this.#deadlineMs);
      this.#dispatch(pooled);
    });
  }

  /** Ends it now, because the process stops. */
  interrupt(): void {
    this.#fail({ class: 'interrupted', message: 'the process stopped while the attempt was under way' });
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#settle === null) controller.abort(new Error('too late'));
    this.#progress.sentAfterMs = this.#elapsed();
  }

  onResponseStart(_controller: Controller, status: number, headers: Record<string, string | string[]>): void {
    // An interim answer (1xx) is not the answer; the deadline ends a flood of them.
    if (status < 200) return;
    this.#status = status;
    this.#headers = flat(headers);
    this.#progress.headersAfterMs = this.#elapsed();
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#settle === null) return;
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= kept) return;
    this.#end(null);
    controller.abort(new Error('enough was read'));
  }

  onResponseEnd(): void {
    this.#end(null);
  }

  onResponseError(_controller: Controller, error: Error): void {
    if (this.#settle === null) return;
    const fresh = this.#fresh;
    if (fresh !== null && this.#headers === null && wasKeptAlive(error)) {
      this.#fresh = null;
      this.#dispatch(fresh);
      return;
    }
    this.#fail(describeFailure(error, this.#options.origin, this.#elapsed()));
  }

  #dispatch(dispatcher: Dispatcher): void {
    try {
      dispatcher.dispatch(this.#options, this);
    } catch (error) {
      this.#fail(describeFailure(error, this.#options.origin, this.#elapsed()));
    }
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  #fail(error: SendError): void {
    this.#end(error);
    this.#controller?.abort(new Error(error.class));
  }

  #end(error: SendError | null): void {
    const settle = this.#settle;
    if (settle === null) return;
    this.#settle = null;
    clearTimeout(this.#timer);
    const status = this.#status;
    const response =
      this.#headers === null
        ? null
        : { status, headers: this.#headers, body: bodyText(this.#chunks, this.#size > kept) };
    const answered: SendError | null =
      status > 399 ? { class: 'status', message: `the receiver answered with status ${status}` } : null;
    settle({ durationMs: this.#elapsed(), response, error: error ?? answered });
  }

  #timeout(): SendError {
    const { sentAfterMs, headersAfterMs } = this.#progress;
    const within = `within ${this.#deadlineMs / 1000} s`;
    const { host } = new URL(this.#options.origin);
    let message = `no answer ${within}: the connection to ${host} was never established`;
    if (headersAfterMs !== null) {
      message = `no complete answer ${within}: headers came after ${headersAfterMs} ms, body was unfinished`;
    } else if (sentAfterMs !== null) {
      message = `no answer ${within}: the request was sent after ${sentAfterMs} ms and no headers came`;
    }
    return { class: 'timeout', message };
  }
}

/** Whether the connection had served an earlier request and was lost before this one was answered. */
function wasKeptAlive(error: Error & { code?: string; socket?: { bytesRead?: number } | null }): boolean {
  const isLost = error.code === 'UND_ERR_SOCKET' || error.code === 'ECONNRESET' || error.code === 'EPIPE';
  return isLost && (error.socket?.bytesRead ?? bytesBefore.get(error) ?? 0) > 0;
}
