// The store: every row of an installation, by noun. Opened once by compose.ts.
import type { Clock } from '#lib/clock.ts';
import type { Database } from './database.ts';
import { sqliteDialect } from './dialect.ts';
import { createSeal } from './seal.ts';
import { openSqliteFile } from './sqlite/file.ts';
import { createVariables, type Variables } from './variables.ts';

/** All nouns, each with the methods of its own file. */
export interface Store {
  readonly variables: Variables;
  /** Whether the process before this one ended without closing. */
  readonly wasCrashed: boolean;
  close(): Promise<void>;
}

/** What opening the store needs. */
export interface StoreOptions {
  /** The SQLite file; made when missing. */
  readonly path: string;
  /** 32 bytes that seal secrets at rest. */
  readonly secretKey: Uint8Array;
  readonly clock: Clock;
}

/** Opens and migrates the store. Throws DatabaseOpenError or NewerDatabaseError with what to do. */
export function openStore({ path, secretKey, clock }: StoreOptions): Store {
  const file = openSqliteFile(path);
  const database: Database = {
    dialect: sqliteDialect,
    reader: file.reader.kysely,
    transaction: (work) => file.queue.single((connection) => work(connection.kysely)),
    seal: createSeal(secretKey),
    clock,
  };
  return {
    variables: createVariables(database),
    wasCrashed: file.wasCrashed,
    close: () => file.close(),
  };
}
