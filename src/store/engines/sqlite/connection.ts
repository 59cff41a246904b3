// One connection to the SQLite file: pragmas, prepared statements kept, and Kysely's view of it.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import type { Tables } from '../../base/tables/schema.ts';
import { copiesBeside } from './checkpoint.ts';

/** A synchronous connection. Statements are prepared once per text. */
export interface Connection {
  readonly database: DatabaseSync;
  prepare(sql: string): StatementSync;
  /** The rows of a statement as plain objects: of many rows several times as fast to read as those of `prepare`. */
  select<Row>(sql: string): (...values: Values) => Row[];
  /** The same connection behind the query builder. */
  readonly kysely: Kysely<Tables>;
  close(): void;
}

const statementsKept = 500;

/** Opens the file. The writing connection makes it when missing; every commit is on disk before it returns. */
export function openConnection(path: string, mode: 'write' | 'read'): Connection {
  const database = new DatabaseSync(path, { readOnly: mode === 'read', timeout: 5000 });
  if (mode === 'write') {
    database.exec('PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    // Far more than checkpoints leave in the log, where they are made beside: for the case that their thread does not come.
    const pages = copiesBeside ? 16_000 : 4000;
    database.exec(`PRAGMA wal_autocheckpoint = ${pages}; PRAGMA journal_size_limit = 67108864`);
  }
  // kB. Few pages in the writing connection: a commit that rearranged an index looks at each one (docs/performance.md), and what
  // is not there the system keeps as well. Pages that were changed stay until their commit up to 16 MB.
  database.exec(`PRAGMA cache_size = ${mode === 'write' ? -4000 : -8000}; PRAGMA cache_spill = 4000`);
  database.exec('PRAGMA temp_store = MEMORY');
  // SQLite's own lower() knows the 26 letters only.
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
 * A number that is bound behind LIMIT by itself would let SQLite make the statement anew at each call, to plan by it: 5 µs and
 * more. Behind a sign it is read as any value is.
 */
function preparedOnce(sql: string): string {
  return sql.replaceAll(/\blimit \?/gi, (text) => `${text.slice(0, -1)}+?`);
}

/** What is made of a text once. */
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

/** Values of a statement, or of a row of one. */
export type Values = (string | number | bigint | Uint8Array | null)[];

/** A statement whose rows become plain objects. */
function readerOf(database: DatabaseSync, sql: string) {
  const statement = database.prepare(preparedOnce(sql));
  const names = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  // Objects that come from there are made like dictionaries: to read a column of one takes several times as long.
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

/** The shape that Kysely's SQLite dialect asks for, over `node:sqlite`. */
function kyselyView(readers: (sql: string) => ReturnType<typeof readerOf>) {
  return { close: () => {}, prepare: readers };
}
