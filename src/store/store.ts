// The store: every row of an installation, by noun. Opened once by compose.ts.
import type { Clock } from '#lib/clock.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type AlertChannels, createAlertChannels } from './alert-channels.ts';
import { type AlertNotifications, createAlertNotifications } from './alert-notifications.ts';
import { type ApiKeys, createApiKeys } from './api-keys.ts';
import { type CheckAlerts, createCheckAlerts } from './check-alerts.ts';
import { type CheckGroups, createCheckGroups } from './check-groups.ts';
import { type CheckResults, createCheckResults } from './check-results.ts';
import { type CheckStatuses, createCheckStatuses } from './check-statuses.ts';
import { type Checks, createChecks } from './checks.ts';
import { type Batches, createBatches } from './batches.ts';
import type { Database } from './database.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { postgresDialect, sqliteDialect } from './dialect.ts';
import { createFailingChannels, type FailingChannels } from './failing-channels.ts';
import { checkKey } from './key-check.ts';
import { createLeftovers, type Leftovers } from './leftovers.ts';
import { createSeal } from './seal.ts';
import { createFigures, type Figures } from './figures.ts';
import { createGaps, type Gaps } from './gaps.ts';
import type { Path } from './path.ts';
import type { Retention } from './retention.ts';
import { createRuntimeStages, type RuntimeStages } from './runtime-stages.ts';
import { type PostgresAddress, shownAddress } from './postgres/address.ts';
import { readColumnTypes } from './postgres/bulk.ts';
import { makeDays } from './postgres/days.ts';
import { createPostgresPath } from './postgres/path.ts';
import { createPostgresRetention } from './postgres/retention.ts';
import { openPostgres } from './postgres/server.ts';
import { openSqliteFile } from './sqlite/file.ts';
import { checkSqliteKey } from './sqlite/key-check.ts';
import { createSqlitePath } from './sqlite/path.ts';
import { createSqliteRetention } from './sqlite/retention.ts';
import { createTriggers, type Triggers } from './triggers.ts';
import { createVariables, type Variables } from './variables.ts';

/** All nouns, each with the methods of its own file. */
export interface Store {
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly triggers: Triggers;
  readonly batches: Batches;
  readonly checkResults: CheckResults;
  readonly checkStatuses: CheckStatuses;
  readonly checkAlerts: CheckAlerts;
  readonly deliveries: Deliveries;
  readonly alertNotifications: AlertNotifications;
  readonly failingChannels: FailingChannels;
  readonly checks: Checks;
  readonly checkGroups: CheckGroups;
  readonly alertChannels: AlertChannels;
  readonly variables: Variables;
  readonly leftovers: Leftovers;
  readonly runtimeStages: RuntimeStages;
  readonly path: Path;
  readonly retention: Retention;
  readonly figures: Figures;
  readonly gaps: Gaps;
  /** Whether the process before this one ended without closing. */
  readonly wasCrashed: boolean;
  close(): Promise<void>;
}

/** What opening a store on any engine needs. */
interface EngineOptions {
  /** 32 bytes that seal secrets at rest. */
  readonly secretKey: Uint8Array;
  readonly clock: Clock;
  /** Code of this server's own run location. */
  readonly ownLocation?: string;
}

/** What opening the store of a file needs. */
export interface StoreOptions extends EngineOptions {
  /** The SQLite file; made when missing. */
  readonly path: string;
}

/** What opening the store of a PostgreSQL needs. */
export interface PostgresStoreOptions extends EngineOptions {
  readonly address: PostgresAddress;
}

/** Opens and migrates the store. Throws DatabaseOpenError, NewerDatabaseError or WrongKeyError with what to do. */
export function openStore({ path, secretKey, clock, ownLocation = 'local' }: StoreOptions): Store {
  const file = openSqliteFile(path);
  const seal = createSeal(secretKey);
  try {
    checkSqliteKey(file, seal);
  } catch (error) {
    void file.close();
    throw error;
  }
  const database: Database = {
    dialect: sqliteDialect,
    reader: file.reader.kysely,
    transaction: (work) => file.queue.single((connection) => work(connection.kysely)),
    seal,
    clock,
    ownLocation,
  };
  return {
    ...nounsOf(database),
    path: createSqlitePath(file, database.seal),
    retention: createSqliteRetention(file),
    wasCrashed: file.wasCrashed,
    close: () => file.close(),
  };
}

/**
 * Opens and migrates the store of a PostgreSQL database. Throws StoreUnavailableError (no server, no such database, wrong
 * password), NewerDatabaseError or WrongKeyError.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { address, secretKey, clock, ownLocation = 'local' } = options;
  const server = await openPostgres(address);
  const seal = createSeal(secretKey);
  const { reader, transaction } = server;
  const database: Database = { dialect: postgresDialect, reader, transaction, seal, clock, ownLocation };
  const { connections } = server;
  try {
    await checkKey(database, shownAddress(address));
    await makeDays(connections, clock.now());
    return {
      ...nounsOf(database),
      path: createPostgresPath(connections, await connections.transaction(readColumnTypes), seal),
      retention: createPostgresRetention(connections),
      wasCrashed: false,
      close: () => server.close(),
    };
  } catch (error) {
    await server.close();
    throw error;
  }
}

type Nouns = Omit<Store, 'path' | 'retention' | 'wasCrashed' | 'close'>;

function nounsOf(database: Database): Nouns {
  return {
    accounts: createAccounts(database),
    apiKeys: createApiKeys(database),
    triggers: createTriggers(database),
    batches: createBatches(database),
    checkResults: createCheckResults(database),
    checkStatuses: createCheckStatuses(database),
    checkAlerts: createCheckAlerts(database),
    deliveries: createDeliveries(database),
    alertNotifications: createAlertNotifications(database),
    failingChannels: createFailingChannels(database),
    checks: createChecks(database),
    checkGroups: createCheckGroups(database),
    alertChannels: createAlertChannels(database),
    variables: createVariables(database),
    leftovers: createLeftovers(database),
    runtimeStages: createRuntimeStages(database),
    figures: createFigures(database),
    gaps: createGaps(database),
  };
}
