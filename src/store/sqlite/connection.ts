// One connection to the SQLite file: pragmas, prepared statements kept, and Kysely's view of it.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import type { Tables } from '../schema.ts';

/** A synchronous connection. Statements are prepared once per text. */
export interface Connection {
  readonly database: DatabaseSync;
  prepare(sql: string): StatementSync;
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
    database.exec('PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864');
  }
  // kB: the pages of 10,000 checks that are written again and again; what is only read, the system keeps as well.
  database.exec(`PRAGMA cache_size = ${mode === 'write' ? -16_000 : -8000}; PRAGMA temp_store = MEMORY`);
  // SQLite's own lower() knows the 26 letters only.
  database.function('lower', { deterministic: true }, (text) => (typeof text === 'string' ? text.toLowerCase() : text));
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const kept = statements.get(sql);
    if (kept !== undefined) return kept;
    const statement = database.prepare(sql);
    if (statements.size >= statementsKept) statements.delete(statements.keys().next().value ?? '');
    statements.set(sql, statement);
    return statement;
  };
  const kysely = new Kysely<Tables>({ dialect: new SqliteDialect({ database: kyselyView(prepare) }) });
  return { database, prepare, kysely, close: () => database.close() };
}

type Values = (string | number | bigint | Uint8Array | null)[];

/** The shape that Kysely's SQLite dialect asks for, over `node:sqlite`. */
function kyselyView(prepare: (sql: string) => StatementSync) {
  return {
    close: () => {},
    prepare: (sql: string) => {
      const statement = prepare(sql);
      return {
        reader: statement.columns().length > 0,
        all: (values: readonly unknown[]) => statement.all(...(values as Values)),
        run: (values: readonly unknown[]) => statement.run(...(values as Values)),
        iterate: (values: readonly unknown[]) => statement.iterate(...(values as Values)) as IterableIterator<unknown>,
      };
    },
  };
}
