// The schema of a PostgreSQL database: migrated by one process while the others wait.
import { setTimeout as pause } from 'node:timers/promises';
import { postgresDialect } from '../../base/dialect.ts';
import { type Migration, migrations, migrationsFrom, type OnMigrating } from '../../base/migrate.ts';
import { isLockBusy } from '../../base/unavailable.ts';
import type { Connections } from './connections.ts';
import type { Session } from './session.ts';

/** Advisory lock for changes of the schema; an arbitrary constant. */
const schemaLock = 7_206_177_001;
/** The same for roll-ups. */
export const rollUpLock = 0x746f_6373;
const askAgainMs = 100;
/** An index created in the first second after a start delays no one. */
const noticeAfterTries = 10;
/** PostgreSQL 14, as `server_version_num`. */
export const oldestServer = 140_000;

/** The server version is not supported. */
export class OldServerError extends Error {
  override readonly name = 'OldServerError';
  constructor(found: string) {
    super(`the database server is PostgreSQL ${found}: Tocsin needs 14 or newer`);
  }
}

/** The server's version: `server_version_num` and `server_version`. */
export interface ServerVersion {
  readonly number: number;
  readonly name: string;
}

/** @throws {OldServerError} below PostgreSQL 14 */
export function refuseOldServer({ number, name }: ServerVersion): void {
  if (number < oldestServer) throw new OldServerError(name);
}

/**
 * Creates or migrates the schema in one transaction. If several processes start, the first does the work and the others
 * wait. Retries while a table is locked. Throws NewerDatabaseError and OldServerError.
 */
export async function migratePostgres(
  connections: Connections,
  onMigrating: OnMigrating = () => undefined,
  all: readonly Migration[] = migrations,
): Promise<void> {
  const [row] = await connections.statement<ServerVersion>(
    `SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS name`,
  );
  if (row !== undefined) refuseOldServer(row);
  const work = (session: Session): Promise<boolean> => migrateOrFindBusy(session, onMigrating, all);
  for (let busy = 1; ;) {
    const isDone = await connections.transaction(work).catch((error: unknown) => {
      // A table is locked: waiting longer would block all later transactions on it.
      if (isLockBusy(error)) return null;
      throw error;
    });
    if (isDone === true) return;
    if (isDone === false && busy++ === noticeAfterTries) onMigrating({ from: null, to: all.length });
    await pause(askAgainMs);
  }
}

/** false = another process holds it. A transaction lock, so that it is never left behind. */
async function migrateOrFindBusy(
  session: Session,
  onMigrating: OnMigrating,
  all: readonly Migration[],
): Promise<boolean> {
  const [lock] = await session.query<{ got: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS got', [schemaLock]);
  if (lock?.got !== true) return false;
  const found = await readSchemaVersion(session);
  const statements = migrationsFrom(found, postgresDialect, all);
  if (found > 0 && statements.length > 0) onMigrating({ from: found, to: all.length });
  for (const statement of statements) await session.queryLong(statement);
  // A version may change only the other engine; it is recorded anyway.
  if (found !== all.length) {
    await session.query(
      `INSERT INTO installation (key, value) VALUES ('schema-version', $1)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      [String(all.length)],
    );
  }
  return true;
}

/** The schema version of a database; 0 = empty. */
export async function readSchemaVersion(session: Session): Promise<number> {
  const [table] = await session.query<{ is: boolean }>(`SELECT to_regclass('installation') IS NOT NULL AS is`);
  if (table?.is !== true) return 0;
  const [row] = await session.query<{ value: string }>(`SELECT value FROM installation WHERE key = 'schema-version'`);
  return Number(row?.value ?? 0);
}
