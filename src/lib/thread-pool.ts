// A fixed number of threads of one program; one that dies is started again after a growing pause.
import { Worker } from 'node:worker_threads';

/** What the pool runs and whom it tells. Messages are what both sides agree on. */
export interface ThreadPoolOptions {
  readonly entry: URL;
  readonly size: number;
  /** Given to each thread as `workerData`. */
  readonly data: unknown;
  readonly onMessage: (index: number, message: unknown) => void;
  /** A thread has ended unasked; all that was sent to it is lost. */
  readonly onEnd: (index: number, error: Error) => void;
  /** A thread has been started again and takes messages. */
  readonly onRestart: (index: number) => void;
}

/** Threads by index, 0 to size - 1. */
export interface ThreadPool {
  /** false while that thread is down: send again after `onRestart`. */
  post(index: number, message: unknown): boolean;
  /** Ends a thread that does not answer; it counts as died. */
  kill(index: number): void;
  close(): Promise<void>;
}

const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** A thread that lived this long is not counted as failing again and again, ms. */
const settledMs = 60_000;

/** Starts the threads. */
export function startThreadPool(options: ThreadPoolOptions): ThreadPool {
  const threads: (Worker | null)[] = [];
  const pauses = new Set<NodeJS.Timeout>();
  const deaths: number[] = [];
  let isClosed = false;

  const start = (index: number): void => {
    const startedAt = performance.now();
    const thread = new Worker(options.entry, { workerData: options.data });
    threads[index] = thread;
    let cause: Error | null = null;
    thread.on('message', (message: unknown) => options.onMessage(index, message));
    thread.on('error', (error: unknown) => {
      cause = error instanceof Error ? error : new Error(String(error));
    });
    thread.once('exit', (code) => {
      threads[index] = null;
      if (isClosed) return;
      const lived = performance.now() - startedAt;
      const count = lived > settledMs ? 1 : (deaths[index] ?? 0) + 1;
      deaths[index] = count;
      const pause = setTimeout(
        () => {
          pauses.delete(pause);
          start(index);
          options.onRestart(index);
        },
        Math.min(longestPauseMs, firstPauseMs * 2 ** (count - 1)),
      );
      pauses.add(pause);
      options.onEnd(index, cause ?? new Error(`the thread ended with code ${code}`));
    });
  };
  for (let index = 0; index < options.size; index++) start(index);

  return {
    post: (index, message) => {
      const thread = threads[index];
      thread?.postMessage(message);
      return thread !== null && thread !== undefined;
    },
    kill: (index) => {
      void threads[index]?.terminate();
    },
    close: async () => {
      isClosed = true;
      for (const pause of pauses) clearTimeout(pause);
      await Promise.all(threads.map((thread) => thread?.terminate() ?? Promise.resolve(0)));
    },
  };
}
