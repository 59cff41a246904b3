// Reads and writes of commands in a database whose service may be running.
import { existsSync } from 'node:fs';
import { type Config, publicUrlOf } from '#config/config.ts';
import type { DatabaseUrl } from '#config/variables.ts';
import { silentAfterMs } from '#domain/accounts/process.ts';
import { shownAddress } from '#lib/net/postgres-address.ts';
import type { Acting } from '#domain/accounts/audit-entry.ts';
import { systemClock } from '#lib/clock.ts';
import { withEntries } from '#store/base/audit/audited-transactions.ts';
import { idText } from '#store/base/codec.ts';
import type { Database } from '#store/base/database.ts';
import { schemaVersion } from '#store/base/migrate.ts';
import type { Db } from '#store/base/tables/schema.ts';
import { readSchemaVersion } from '#store/engines/postgres/schema.ts';
import { connectPostgres } from '#store/engines/postgres/server.ts';
import { openConnection } from '#store/engines/sqlite/connection.ts';
import { CommandError } from './exits.ts';

/** Maximum wait for the service's own writes, in ms. */
const busyMs = 10_000;

/** An open database, which may have any schema version. */
export interface OpenDatabase extends AsyncDisposable, Pick<Database, 'reader' | 'transaction'> {
  readonly shown: string;
  readonly version: number;
}

/** Opens an existing database. Throws if it cannot be reached. */
export async function openDatabase(database: DatabaseUrl, mode: 'read' | 'write'): Promise<OpenDatabase> {
  if (database.kind === 'sqlite') {
    const connection = openConnection(database.path, mode);
    const { kysely } = connection;
    connection.prepare(`PRAGMA busy_timeout = ${busyMs}`).get();
    return {
      shown: database.path,
      version: Number(connection.prepare('PRAGMA user_version').get()?.['user_version']),
      reader: kysely,
      transaction: (work) => kysely.transaction().execute(work),
      [Symbol.asyncDispose]: () => Promise.resolve(connection.close()),
    };
  }
  const server = await connectPostgres(database.address);
  return {
    shown: shownAddress(database.address),
    version: await server.connections.transaction(readSchemaVersion),
    reader: server.reader,
    transaction: server.waitingTransaction,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** Runs `work` of a command in one transaction, with its entries in the audit log. Throws CommandError if there is no database of this version. */
export async function writeDatabase<Answer>(
  database: DatabaseUrl,
  command: string,
  work: (tx: Db) => Promise<Answer>,
): Promise<Answer> {
  if (database.kind === 'sqlite' && !existsSync(database.path))
    throw new CommandError(
      `no database at ${database.path}. Start Tocsin once; it creates the database and prints the first key`,
    );
  await using opened = await openDatabase(database, 'write');
  if (opened.version !== schemaVersion) {
    throw new CommandError(
      `${opened.shown} has schema version ${opened.version}, not ${schemaVersion}: start Tocsin once to upgrade it`,
    );
  }
  return await opened.transaction(async (tx) => {
    const oldest = await tx.selectFrom('accounts').select('id').orderBy('created_at').limit(1).executeTakeFirst();
    const acting: Acting = {
      actor: { kind: 'command', id: null, name: command },
      accountId: oldest === undefined ? null : idText(oldest.id),
      operation: command,
      address: null,
      requestId: null,
    };
    return withEntries(tx, { acting, seal: null, now: systemClock.now() }, work);
  });
}

/** Public URL of the service: the configured one, or that of a process that serves the API. @param now epoch ms */
export async function servedUrl(tx: Db, config: Config, now: number): Promise<string> {
  const serving = await tx
    .selectFrom('processes')
    .select('public_url')
    .where('public_url', 'is not', null)
    .where('seen_at', '>', now - silentAfterMs)
    .orderBy('seen_at', 'desc')
    .executeTakeFirst();
  // The service may have been started with another PORT than this command.
  return config.publicUrl ?? serving?.public_url ?? publicUrlOf(config, config.port);
}
