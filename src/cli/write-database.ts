// Writes of commands into a database whose service may be running.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { DatabaseUrl } from '#config/variables.ts';
import { shownAddress } from '#lib/net/postgres-address.ts';
import { schemaVersion } from '#store/base/migrate.ts';
import { openConnections } from '#store/engines/postgres/connections.ts';
import { readSchemaVersion } from '#store/engines/postgres/schema.ts';
import { CommandError } from './command-error.ts';

type Value = string | number | Uint8Array;
/** Runs a statement that is the same on both engines, `?` for a value; returns the number of changed rows. */
export type Change = (sql: string, ...values: Value[]) => Promise<number>;
/** Runs a query in the same way; returns its rows. */
export type Query = <Row>(sql: string, ...values: Value[]) => Promise<Row[]>;
type Work<Answer> = (change: Change, query: Query) => Promise<Answer>;

/** Maximum wait for the service's own writes, in ms. */
const busyMs = 10_000;

/** Runs `work` in one transaction. Throws CommandError if there is no database of this version. */
export function writeDatabase<Answer>(database: DatabaseUrl, work: Work<Answer>): Promise<Answer> {
  return database.kind === 'sqlite' ? writeFile(database.path, work) : writePostgres(database, work);
}

async function writeFile<Answer>(path: string, work: Work<Answer>): Promise<Answer> {
  if (!existsSync(path))
    throw new CommandError(
      `no database at ${path}. Start Tocsin once; it creates the database and prints the first key`,
    );
  const database = new DatabaseSync(path, { timeout: busyMs });
  try {
    requireVersion(path, Number(database.prepare('PRAGMA user_version').get()?.['user_version']));
    database.exec('BEGIN IMMEDIATE');
    const answer = await work(
      async (sql, ...values) => Number(database.prepare(sql).run(...values).changes),
      async <Row>(sql: string, ...values: Value[]) => database.prepare(sql).all(...values) as Row[],
    );
    database.exec('COMMIT');
    return answer;
  } finally {
    // Closing rolls back an open transaction.
    database.close();
  }
}

async function writePostgres<Answer>(
  { address }: Extract<DatabaseUrl, { readonly kind: 'postgres' }>,
  work: Work<Answer>,
): Promise<Answer> {
  const connections = await openConnections(address);
  try {
    return await connections.transaction(async (session) => {
      requireVersion(shownAddress(address), await readSchemaVersion(session));
      return work(
        (sql, ...values) => session.change(numbered(sql), values),
        (sql, ...values) => session.query(numbered(sql), values),
      );
    });
  } finally {
    await connections.close();
  }
}

/** The statement with `$1` and so on for each `?`. */
function numbered(sql: string): string {
  let position = 0;
  return sql.replaceAll('?', () => `$${++position}`);
}

function requireVersion(shown: string, version: number): void {
  if (version === schemaVersion) return;
  throw new CommandError(
    `${shown} has schema version ${version}, not ${schemaVersion}: start Tocsin once to upgrade it`,
  );
}
