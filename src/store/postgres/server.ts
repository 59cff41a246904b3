// A PostgreSQL database as the nouns' files see it: the same queries as over SQLite.
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { Tables } from '../schema.ts';
import type { PostgresAddress } from './address.ts';
import { type Connections, openConnections, transactionSettings } from './connections.ts';
import { migratePostgres } from './schema.ts';

/** An open database whose schema is the present one. */
export interface PostgresServer extends Pick<Database, 'reader' | 'transaction'> {
  readonly connections: Connections;
  close(): Promise<void>;
}

/** Opens the database and migrates it. Throws StoreUnavailableError and NewerDatabaseError. */
export async function openPostgres(address: PostgresAddress): Promise<PostgresServer> {
  const connections = await openConnections(address);
  try {
    await migratePostgres(connections);
  } catch (error) {
    await connections.close();
    throw error;
  }
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: connections.pool }) });
  return {
    connections,
    reader: kysely,
    // Serializable, so that what was written for the one writer of a file holds: what a transaction read is still so
    // when it commits, or it runs again (docs/decisions/0032).
    transaction: (work) =>
      connections.repeated(() =>
        kysely
          .transaction()
          .setIsolationLevel('serializable')
          .execute(async (tx) => {
            await sql.raw(transactionSettings).execute(tx);
            return work(tx);
          }),
      ),
    close: () => connections.close(),
  };
}
