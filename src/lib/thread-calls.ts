// Calls to threads: batched into messages, matched by number, rejected if the thread stops or hangs.
import { startThreadPool, type ThreadPool, type ThreadPoolOptions } from './thread-pool.ts';

/** The threads and how to communicate with them. */
export interface ThreadCallsOptions<Lane extends { outbox: unknown }, Answer> extends Pick<
  ThreadPoolOptions,
  'entry' | 'data'
> {
  /** The threads in messages, such as `the probe thread`. */
  readonly name: string;
  /** One for each thread; `outbox` is sent next. */
  readonly lanes: readonly Lane[];
  readonly emptyOutbox: () => Lane['outbox'];
  /** Maximum response time of the thread, ms. */
  readonly deadlineMs: number;
  readonly readAnswers: (lane: Lane, message: unknown) => readonly (readonly [number: number, answer: Answer])[];
  /** Called when a thread stops. Its pending messages are lost and it is restarted. */
  readonly onThreadEnd: (lane: Lane, error: Error) => void;
}

interface Call<Answer> {
  readonly startedAt: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

interface Thread<Lane, Answer> {
  readonly lane: Lane;
  /** Calls without a response, by number. */
  readonly calls: Map<number, Call<Answer>>;
  lastSent: number;
  isFlushing: boolean;
}

/** A call this late beyond its deadline means that its thread hangs, ms. */
const hungAfterMs = 15_000;
const watchEveryMs = 5000;

export class ThreadCalls<Lane extends { outbox: unknown }, Answer> {
  readonly #options: ThreadCallsOptions<Lane, Answer>;
  readonly #threads: readonly Thread<Lane, Answer>[];
  readonly #pool: ThreadPool;
  readonly #watch: NodeJS.Timeout;
  #lastNumber = 0;
  #isClosed = false;

  constructor(options: ThreadCallsOptions<Lane, Answer>) {
    this.#options = options;
    const { lanes, entry, data } = options;
    this.#threads = lanes.map((lane) => ({ lane, calls: new Map(), lastSent: 0, isFlushing: false }));
    this.#pool = startThreadPool({
      entry,
      data,
      size: lanes.length,
      onMessage: (index, message) => this.#settle(this.#threads[index], message),
      onEnd: (index, error) => this.#giveBack(this.#threads[index], error),
      onRestart: (index) => this.#flush(index),
    });
    this.#watch = setInterval(() => this.#endHung(), watchEveryMs).unref();
  }

  /**
   * Starts a call. The caller must add it to the outbox of its thread at once, under this number.
   * @returns `answer` rejects if the thread stops, hangs or is closed
   */
  begin(index: number): { readonly number: number; readonly answer: Promise<Answer> } {
    const number = ++this.#lastNumber;
    const { promise: answer, resolve, reject } = Promise.withResolvers<Answer>();
    if (this.#isClosed) reject(new Error('the process is stopping'));
    else this.#threads[index]?.calls.set(number, { startedAt: performance.now(), resolve, reject });
    this.flushSoon(index);
    return { number, answer };
  }

  /** Sends the outbox of a thread, with everything added before the current task ends. */
  flushSoon(index: number): void {
    const thread = this.#threads[index];
    if (thread === undefined || thread.isFlushing) return;
    thread.isFlushing = true;
    queueMicrotask(() => {
      thread.isFlushing = false;
      this.#flush(index);
    });
  }

  /** Number of calls without a response. */
  get pending(): number {
    return this.#threads.reduce((sum, { calls }) => sum + calls.size, 0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watch);
    await this.#pool.close();
    for (const thread of this.#threads) reject(thread, this.#lastNumber, 'the process is stopping');
  }

  /** While the thread is down, the outbox waits for the next one. */
  #flush(index: number): void {
    const thread = this.#threads[index];
    if (thread === undefined || !this.#pool.post(index, thread.lane.outbox)) return;
    thread.lane.outbox = this.#options.emptyOutbox();
    thread.lastSent = this.#lastNumber;
  }

  #settle(thread: Thread<Lane, Answer> | undefined, message: unknown): void {
    if (thread === undefined) return;
    for (const [number, answer] of this.#options.readAnswers(thread.lane, message)) {
      thread.calls.get(number)?.resolve(answer);
      thread.calls.delete(number);
    }
  }

  #giveBack(thread: Thread<Lane, Answer> | undefined, error: Error): void {
    if (thread === undefined) return;
    this.#options.onThreadEnd(thread.lane, error);
    reject(thread, thread.lastSent, `${this.#options.name} stopped unexpectedly: ${error.message}`);
  }

  /** Terminates threads whose oldest call has exceeded the maximum time. */
  #endHung(): void {
    const since = performance.now() - this.#options.deadlineMs - hungAfterMs;
    for (const [index, { calls }] of this.#threads.entries()) {
      const [oldest] = calls.values();
      if (oldest !== undefined && oldest.startedAt < since) this.#pool.kill(index);
    }
  }
}

/** Rejects the calls up to a number; later ones wait for the next thread. */
function reject({ calls }: Thread<unknown, never>, last: number, message: string): void {
  for (const [number, call] of calls) {
    if (number > last) break;
    calls.delete(number);
    call.reject(new Error(message));
  }
}
