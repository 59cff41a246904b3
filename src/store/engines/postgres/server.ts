// A PostgreSQL database with the interface of the store files: the same queries as on SQLite.
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Database } from '../../base/database.ts';
import { writesHeartbeats } from '../../base/locks/lock-heartbeats.ts';
import { needsRounds, noteHolder } from '../../base/locks/lock-rounds.ts';
import type { Db, Tables } from '../../base/tables/schema.ts';
import type { OnMigrating } from '../../base/migrate.ts';
import type { PostgresAddress } from '#lib/net/postgres-address.ts';
import { type Connections, openConnections, transactionSettings } from './connections.ts';
import { migratePostgres } from './schema.ts';

/** An open database with the current schema. */
export interface PostgresServer extends Pick<Database, 'reader' | 'transaction' | 'waitingTransaction'> {
  readonly address: PostgresAddress;
  readonly connections: Connections;
  /** Time of the server, epoch ms with fractions. */
  askTime(): Promise<number>;
  close(): Promise<void>;
}

/** Opens the database and migrates it. Throws StoreUnavailableError and NewerDatabaseError. */
export async function openPostgres(address: PostgresAddress, onMigrating?: OnMigrating): Promise<PostgresServer> {
  const server = await connectPostgres(address);
  try {
    await migratePostgres(server.connections, onMigrating);
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Opens the database, whatever its schema. Throws StoreUnavailableError. */
export async function connectPostgres(address: PostgresAddress): Promise<PostgresServer> {
  const connections = await openConnections(address);
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: connections.pool }) });
  const transactionAt =
    (level: 'serializable' | 'read committed'): Database['transaction'] =>
    (work) => {
      let [isAboutRounds, isAboutHeartbeats] = [false, false];
      return connections.repeated(() =>
        kysely
          .transaction()
          .setIsolationLevel(level)
          .execute(async (tx) => {
            await sql.raw(transactionSettings).execute(tx);
            if (isAboutRounds) await lockRounds(tx);
            if (isAboutHeartbeats) await lockHeartbeats(tx);
            try {
              return await work(tx);
            } finally {
              isAboutRounds = needsRounds(tx) || isAboutRounds;
              isAboutHeartbeats = writesHeartbeats(tx) || isAboutHeartbeats;
            }
          }),
      );
    };
  return {
    address,
    connections,
    async askTime() {
      const [row] = await connections.statement<{ now: number }>(
        'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
      );
      return row?.now ?? Number.NaN;
    },
    reader: kysely,
    // Serializable, so that code written for a single writer is correct: what a transaction read is still true when it
    // commits, or it is repeated (docs/decisions/0032).
    transaction: transactionAt('serializable'),
    waitingTransaction: transactionAt('read committed'),
    close: () => connections.close(),
  };
}

/**
 * Locks the rounds before the transaction's snapshot: otherwise busy schedulers would move one between its first read
 * and its write every time.
 */
async function lockRounds(tx: Db): Promise<void> {
  await sql`LOCK TABLE schedule_rounds IN EXCLUSIVE MODE`.execute(tx);
  noteHolder(tx);
}

/** The same for heartbeats: pings wait until the change is committed. */
async function lockHeartbeats(tx: Db): Promise<void> {
  await sql`LOCK TABLE heartbeats IN EXCLUSIVE MODE`.execute(tx);
}
