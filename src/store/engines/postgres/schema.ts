// The schema of a PostgreSQL database: brought up to date by one process while the others wait.
import { setTimeout as pause } from 'node:timers/promises';
import { postgresDialect } from '../../base/dialect.ts';
import { type Migration, migrations, migrationsFrom } from '../../base/migrate.ts';
import type { EngineOptions } from '../../store.ts';
import { isLockBusy } from '../../base/unavailable.ts';
import type { Connections } from './connections.ts';
import type { Session } from './session.ts';

/** The lock of everything that changes the schema; any number, but always the same. */
const schemaLock = 7_206_177_001;
const askAgainMs = 100;
/** What is made in the second after a start is none that anybody waits for. */
const toldAfterTries = 10;
/** PostgreSQL 14, as the server tells it. */
export const oldestServer = 140_000;

/** The server is of a version that Tocsin does not run on. */
export class OldServerError extends Error {
  override readonly name = 'OldServerError';
  constructor(found: string) {
    super(`the database server is PostgreSQL ${found}: Tocsin needs 14 or newer`);
  }
}

/** What a server says of its version: `server_version_num` and `server_version`. */
export interface ServerVersion {
  readonly number: number;
  readonly name: string;
}

/** @throws {OldServerError} before PostgreSQL 14 */
export function refuseOldServer({ number, name }: ServerVersion): void {
  if (number < oldestServer) throw new OldServerError(name);
}

/**
 * Makes or migrates the schema in one transaction. Of processes that start together the first does the work, the others
 * wait until it is done. A table that others hold is tried for again. Throws NewerDatabaseError and OldServerError.
 */
export async function migratePostgres(
  connections: Connections,
  onMigrating: EngineOptions['onMigrating'] = () => undefined,
  all: readonly Migration[] = migrations,
): Promise<void> {
  const [row] = await connections.statement<ServerVersion>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name`,
  );
  if (row !== undefined) refuseOldServer(row);
  const work = (session: Session): Promise<boolean> => migrateOrFindBusy(session, onMigrating, all);
  for (let busy = 1; ;) {
    const isDone = await connections.transaction(work).catch((error: unknown) => {
      // Others hold a table: whoever waited for it longer would hold up all who come after.
      if (isLockBusy(error)) return null;
      throw error;
    });
    if (isDone === true) return;
    if (isDone === false && busy++ === toldAfterTries) onMigrating({ from: null, to: all.length });
    await pause(askAgainMs);
  }
}

/** false = another process is at it. A lock of the transaction's, so that it is never left behind. */
async function migrateOrFindBusy(
  session: Session,
  onMigrating: NonNullable<EngineOptions['onMigrating']>,
  all: readonly Migration[],
): Promise<boolean> {
  const [lock] = await session.query<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [schemaLock]);
  if (lock?.got !== true) return false;
  const found = await schemaVersionOf(session);
  const statements = migrationsFrom(found, postgresDialect, all);
  if (found > 0 && statements.length > 0) onMigrating({ from: found, to: all.length });
  for (const statement of statements) await session.queryLong(statement);
  // A version may be of the other engine alone: it is kept all the same.
  if (found !== all.length) {
    await session.query(
      `INSERT INTO installation (key, value) VALUES ('schema-version', $1)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      [String(all.length)],
    );
  }
  return true;
}

/** The schema version of a database; 0 = it is empty. */
export async function schemaVersionOf(session: Session): Promise<number> {
  const [table] = await session.query<{ is: boolean }>(`SELECT to_regclass('installation') IS NOT NULL AS is`);
  if (table?.is !== true) return 0;
  const [row] = await session.query<{ value: string }>(`SELECT value FROM installation WHERE key = 'schema-version'`);
  return Number(row?.value ?? 0);
}
