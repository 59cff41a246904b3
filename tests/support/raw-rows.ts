// A second door to a test's database, the same for both engines: raw rows in and out, at once, without awaiting.
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

export type Cell = string | number | bigint | Uint8Array | null;

/** What tests use of `DatabaseSync`, which is one of these. Statements are SQLite's and PostgreSQL's at once; `?` for values. */
export interface RawRows {
  prepare(sql: string): {
    get(...values: Cell[]): Record<string, unknown> | undefined;
    all(...values: Cell[]): Record<string, unknown>[];
    run(...values: Cell[]): unknown;
  };
  exec(sql: string): void;
}

type Ask = (url: string, sql: string | null, values?: readonly Cell[]) => Record<string, unknown>[];

let asked: Ask | null = null;

/** The door to a PostgreSQL database. */
export function openRawPostgres(url: string): RawRows & { close(): void } {
  asked ??= startWorker();
  const ask = asked;
  return {
    prepare(sql) {
      let position = 0;
      const numbered = sql.replace(/\?(\d+)?/g, (_, number: string | undefined) => `$${number ?? ++position}`);
      return {
        get: (...values) => ask(url, numbered, values)[0],
        all: (...values) => ask(url, numbered, values),
        run: (...values) => ask(url, numbered, values),
      };
    },
    exec: (sql) => void ask(url, sql),
    close: () => void ask(url, null),
  };
}

/** This thread sleeps until the other has answered: so a test reads the same whatever its engine. */
function startWorker(): Ask {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL('./raw-postgres-worker.ts', import.meta.url), {
    workerData: { port: port2, signal },
    transferList: [port2],
    execArgv: [],
  });
  worker.unref();
  port1.unref();
  return (url, sql, values = []) => {
    Atomics.store(signal, 0, 0);
    port1.postMessage({ url, sql, values });
    // Who was held up between an answer and its call wakes the next question instead, which has no answer yet.
    while (Atomics.load(signal, 0) === 0) {
      if (Atomics.wait(signal, 0, 0, 20_000) === 'timed-out') throw new Error(`no answer in 20 s to ${sql}`);
    }
    const received: { message: { rows?: Record<string, unknown>[]; error?: string } } | undefined =
      receiveMessageOnPort(port1);
    const { rows, error } = received?.message ?? {};
    if (rows === undefined) throw new Error(`${error ?? 'no answer'}: ${sql}`);
    return rows;
  };
}
