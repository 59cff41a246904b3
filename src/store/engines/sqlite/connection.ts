// A connection to the SQLite file: pragmas, cached prepared statements, and an adapter for Kysely.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import type { Db, Tables } from '../../base/tables/schema.ts';
import { checkpointsInThread } from './checkpoint.ts';
import type { Statements } from '../statements.ts';

/** A synchronous connection that prepares each statement once. */
export interface Connection {
  readonly database: DatabaseSync;
  prepare(sql: string): StatementSync;
  /** Rows of a statement as plain objects: for many rows several times faster than those of `prepare`. */
  select<Row>(sql: string): (...values: Values) => Row[];
  /** The same connection for the query builder. */
  readonly kysely: Db;
  close(): void;
}

const statementsKept = 500;

/** Opens the file. The writing connection creates it if it is missing; every commit is on disk before it returns. */
export function openConnection(path: string, mode: 'write' | 'read'): Connection {
  const database = new DatabaseSync(path, { readOnly: mode === 'read', timeout: 5000 });
  if (mode === 'write') {
    database.exec('PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    // Far more than the log usually contains; a fallback in case the checkpoint thread fails.
    const pages = checkpointsInThread ? 16_000 : 4000;
    database.exec(`PRAGMA wal_autocheckpoint = ${pages}; PRAGMA journal_size_limit = 67108864`);
  }
  // kB. A small page cache for the writing connection: a commit that rearranged an index scans all cached pages
  // (docs/performance.md), and the system caches the file anyway. Modified pages stay in memory until their commit, up
  // to 16 MB.
  database.exec(`PRAGMA cache_size = ${mode === 'write' ? -4000 : -8000}; PRAGMA cache_spill = 4000`);
  database.exec('PRAGMA temp_store = MEMORY');
  // SQLite's own lower() handles only ASCII letters.
  database.function('lower', { deterministic: true }, (text) => (typeof text === 'string' ? text.toLowerCase() : text));
  const prepare = kept((sql) => database.prepare(preparedOnce(sql)));
  const readers = kept((sql) => readerOf(database, sql));
  const select = <Row>(sql: string) => {
    const { all } = readers(sql);
    return (...values: Values) => all(values) as Row[];
  };
  const kysely = new Kysely<Tables>({ dialect: new SqliteDialect({ database: kyselyView(readers) }) });
  return { database, prepare, select, kysely, close: () => database.close() };
}

/**
 * SQLite would re-prepare the statement when a number bound directly to LIMIT changes, 5 µs and more. As part of an
 * expression it does not.
 */
function preparedOnce(sql: string): string {
  return sql.replaceAll(/\blimit \?/gi, (text) => `${text.slice(0, -1)}+?`);
}

/** Cached data of a statement's text. */
function kept<Prepared>(prepare: (sql: string) => Prepared): (sql: string) => Prepared {
  const statements = new Map<string, Prepared>();
  return (sql) => {
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const prepared = prepare(sql);
    if (statements.size >= statementsKept) statements.delete(statements.keys().next().value ?? '');
    statements.set(sql, prepared);
    return prepared;
  };
}

/** Values of a statement, or of one row. */
export type Values = (string | number | bigint | Uint8Array | null)[];

/** A statement whose rows become plain objects. */
function readerOf(database: DatabaseSync, sql: string) {
  const statement = database.prepare(preparedOnce(sql));
  const names = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  // Objects from SQLite are in dictionary mode: reading a column is several times slower.
  const rowOf = (values: unknown): Record<string, unknown> => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < names.length; index++) row[names[index] ?? ''] = (values as unknown[])[index];
    return row;
  };
  return {
    reader: names.length > 0,
    all: (values: readonly unknown[]) => statement.all(...(values as Values)).map((row) => rowOf(row)),
    run: (values: readonly unknown[]) => statement.run(...(values as Values)),
    *iterate(values: readonly unknown[]): IterableIterator<unknown> {
      for (const row of statement.iterate(...(values as Values))) yield rowOf(row);
    },
  };
}

/** Implements the interface of Kysely's SQLite dialect over `node:sqlite`. */
function kyselyView(readers: (sql: string) => ReturnType<typeof readerOf>) {
  return { close: () => {}, prepare: readers };
}

/** Runs statements of a transaction. */
export function runStatements<Answer>(connection: Connection, statements: Statements<Answer>): Answer {
  let step = statements.next([]);
  while (step.done !== true) {
    const { text, values } = step.value;
    step = statements.next(connection.select(numbered(text))(...(values as Values)));
  }
  return step.value;
}

/** The same with numbered values as in SQLite, where `$1` is a name. */
export function numbered(text: string): string {
  return text.replaceAll(/\$(?=\d)/g, '?');
}
