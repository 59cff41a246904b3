// A fixed number of threads of one program; a thread that dies is restarted after a growing delay.
import { Worker } from 'node:worker_threads';

/** Options of a pool. Both sides define the messages. */
export interface ThreadPoolOptions {
  readonly entry: URL;
  readonly size: number;
  /** Given to each thread as `workerData`. */
  readonly data: unknown;
  readonly onMessage: (index: number, message: unknown) => void;
  /** Called when a thread ended unexpectedly; messages sent to it are lost. */
  readonly onEnd: (index: number, error: Error) => void;
  /** Called when a thread was restarted and accepts messages. */
  readonly onRestart: (index: number) => void;
}

/** Threads by index, 0 to size - 1. */
export interface ThreadPool {
  /** false while the thread is down: send again after `onRestart`. */
  post(index: number, message: unknown): boolean;
  /** Terminates a thread that does not respond; it counts as died. */
  kill(index: number): void;
  close(): Promise<void>;
}

const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** A thread that lived this long does not count as failing repeatedly, ms. */
const settledMs = 60_000;

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
