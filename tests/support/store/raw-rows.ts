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

/** Rows that are inserted by one statement: as many values as a statement may have, and some to spare. */
const maxValues = 20_000;
const plainInsert = /^(INSERT INTO \w+ \([^()]*\) VALUES )\(\$\d+(?:, \$\d+)*\)$/i;

/** The door to a PostgreSQL database. Rows inserted between BEGIN and COMMIT, which nobody sees before, go many at a time. */
export function openRawPostgres(url: string): RawRows & { close(): void } {
  asked ??= startWorker();
  const ask = asked;
  let isBegun = false;
  /** By the statement. */
  const waiting = new Map<string, Cell[][]>();
  const flush = (): void => {
    const all = [...waiting];
    waiting.clear();
    for (const [sql, rows] of all) insertTogether(ask, url, sql, rows);
  };
  const now = (sql: string, values?: readonly Cell[]): Record<string, unknown>[] => {
    flush();
    return ask(url, sql, values);
  };
  return {
    prepare(sql) {
      let position = 0;
      const numbered = sql.replace(/\?(\d+)?/g, (_, number: string | undefined) => `$${number ?? ++position}`);
      // A value that is named by its number may stand in several places.
      const isPlain = plainInsert.test(numbered) && !/\?\d/.test(sql);
      return {
        get: (...values) => now(numbered, values)[0],
        all: (...values) => now(numbered, values),
        run(...values) {
          if (!isBegun || !isPlain) return now(numbered, values);
          const rows = waiting.get(numbered) ?? [];
          waiting.set(numbered, rows);
          rows.push(values);
          return [];
        },
      };
    },
    exec(sql) {
      now(sql);
      if (/^(BEGIN|COMMIT|ROLLBACK)$/.test(sql)) isBegun = sql === 'BEGIN';
    },
    close: () => void ask(url, null),
  };
}

function insertTogether(ask: Ask, url: string, sql: string, rows: readonly (readonly Cell[])[]): void {
  const [, head = ''] = plainInsert.exec(sql) ?? [];
  const width = rows[0]?.length ?? 1;
  const atOnce = Math.floor(maxValues / width);
  for (let from = 0; from < rows.length; from += atOnce) {
    const some = rows.slice(from, from + atOnce);
    const places = some.map((row, index) => `(${row.map((_, column) => `$${index * width + column + 1}`).join(', ')})`);
    ask(url, head + places.join(', '), some.flat());
  }
}

/** This thread sleeps until the other has answered: so a test reads the same whatever its engine. */
function startWorker(): Ask {
  const signal = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(new URL('../postgres/raw-postgres-worker.ts', import.meta.url), {
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
