// Opens the store of a PostgreSQL database.
import { auditedTransactions } from './base/audit/audited-transactions.ts';
import type { Database } from './base/database.ts';
import { postgresDialect } from './base/dialect.ts';
import { checkKey } from './base/key-check.ts';
import { type PostgresAddress, shownAddress } from '#lib/net/postgres-address.ts';
import { readColumnTypes } from './engines/postgres/bulk.ts';
import { makeDays } from './engines/postgres/days.ts';
import { createPostgresPath } from './path/postgres-path.ts';
import { createPostgresRetention } from './history/postgres-retention.ts';
import { createPostgresRollUps } from './history/postgres-roll-ups.ts';
import { openPostgres, type PostgresServer } from './engines/postgres/server.ts';
import { createWakes, type ListeningState } from './engines/postgres/wakes.ts';
import { createSeal } from './base/seal.ts';
import { type EngineOptions, nounsOf, type Store } from './store.ts';

/** Options of the store in addition to the server. */
export interface PostgresOptions extends EngineOptions {
  /** Address for LISTEN, if not the server's own; null = none, all loops poll. */
  readonly listenAddress?: PostgresAddress | null;
  readonly onListening?: (state: ListeningState, why: string) => void;
  /** Whether the server's own clock jumped, and not this process's view of it. */
  readonly wasServerSet?: () => boolean;
  /** Called when a claim was refused because the server's time differs; absent = the server's time is not used. */
  readonly onOtherTime?: () => void;
}

/**
 * Opens and migrates the store of a PostgreSQL database. Throws StoreUnavailableError (no server, no such database,
 * wrong password), NewerDatabaseError or WrongKeyError.
 */
export async function openPostgresStore({
  address,
  ...options
}: PostgresOptions & { readonly address: PostgresAddress }): Promise<Store> {
  return storeOnPostgres(await openPostgres(address, options.onMigrating), options);
}

/** The store of an open server, which is closed on failure. Throws as `openPostgresStore` does. */
export async function storeOnPostgres(server: PostgresServer, options: PostgresOptions): Promise<Store> {
  const {
    secretKey,
    clock,
    ownLocation = 'local',
    limits = {},
    wasServerSet = () => true,
    onOtherTime = null,
  } = options;
  const seal = createSeal(secretKey);
  const { reader, connections, address } = server;
  const transaction = auditedTransactions(server.transaction, { seal, clock });
  const waitingTransaction = auditedTransactions(server.waitingTransaction, { seal, clock });
  const base = { dialect: postgresDialect, reader, transaction, waitingTransaction };
  const database: Database = { ...base, seal, clock, limits, ownLocation };
  try {
    await checkKey(database, shownAddress(address));
    await makeDays(connections, clock.now());
    const types = await connections.transaction(readColumnTypes);
    const { listenAddress = address, onListening } = options;
    const wakes = createWakes(connections, {
      address: listenAddress,
      ...(onListening !== undefined && { onState: onListening }),
    });
    return {
      ...nounsOf(database),
      path: createPostgresPath({
        connections,
        types,
        seal,
        wasServerSet,
        onOtherTime,
      }),
      retention: createPostgresRetention(connections),
      rollUps: createPostgresRollUps(connections, types),
      wakes,
      wasCrashed: false,
      async close() {
        await wakes.close();
        await server.close();
      },
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}
