// The store: every row of an installation, by noun. Opened once by compose.ts.
import type { Clock } from '#lib/clock.ts';
import { type AccountMoves, createAccountMoves } from './account-moves.ts';
import { type Accounts, createAccounts } from './accounts.ts';
import { type AlertChannels, createAlertChannels } from './alert-channels.ts';
import { type ChannelConfigs, createChannelConfigs } from './channel-configs.ts';
import { type AlertNotifications, createAlertNotifications } from './alert-notifications.ts';
import { type ApiKeys, createApiKeys } from './api-keys.ts';
import { type CheckAlerts, createCheckAlerts } from './check-alerts.ts';
import { type CheckGroups, createCheckGroups } from './check-groups.ts';
import { type CheckHistory, createCheckHistory } from './check-history.ts';
import { type CheckSubjects, createCheckSubjects } from './check-subjects.ts';
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
import { createProcesses, type Processes } from './processes.ts';
import type { Retention } from './retention.ts';
import type { RollUps } from './roll-ups.ts';
import { createMaintenanceWindows, type MaintenanceWindows } from './maintenance-windows.ts';
import { createPings, type Pings } from './pings.ts';
import { createReceptions, type Receptions } from './reception.ts';
import { createResultAssets, type ResultAssets } from './result-assets.ts';
import { createRuntimeStages, type RuntimeStages } from './runtime-stages.ts';
import { type PostgresAddress, shownAddress } from './postgres/address.ts';
import { readColumnTypes } from './postgres/bulk.ts';
import { makeDays } from './postgres/days.ts';
import { createPostgresPath } from './postgres/path.ts';
import { createPostgresRetention } from './postgres/retention.ts';
import { createPostgresRollUps } from './postgres/roll-ups.ts';
import { openPostgres, type PostgresServer } from './postgres/server.ts';
import { createWakes, type ListeningState } from './postgres/wakes.ts';
import { openSqliteFile } from './sqlite/file.ts';
import { checkSqliteKey } from './sqlite/key-check.ts';
import { createSqlitePath } from './sqlite/path.ts';
import { createSqliteRetention } from './sqlite/retention.ts';
import { createSqliteRollUps } from './sqlite/roll-ups.ts';
import { createTriggers, type Triggers } from './triggers.ts';
import { createVariables, type Variables } from './variables.ts';
import { noWakes, type Wakes } from './wakes.ts';

/** All nouns, each with the methods of its own file. */
export interface Store {
  readonly accounts: Accounts;
  readonly accountMoves: AccountMoves;
  readonly apiKeys: ApiKeys;
  readonly triggers: Triggers;
  readonly batches: Batches;
  readonly checkResults: CheckResults;
  readonly checkHistory: CheckHistory;
  readonly checkSubjects: CheckSubjects;
  readonly checkStatuses: CheckStatuses;
  readonly checkAlerts: CheckAlerts;
  readonly deliveries: Deliveries;
  readonly alertNotifications: AlertNotifications;
  readonly failingChannels: FailingChannels;
  readonly checks: Checks;
  readonly checkGroups: CheckGroups;
  readonly alertChannels: AlertChannels;
  readonly channelConfigs: ChannelConfigs;
  readonly variables: Variables;
  readonly maintenanceWindows: MaintenanceWindows;
  readonly leftovers: Leftovers;
  readonly runtimeStages: RuntimeStages;
  readonly path: Path;
  readonly retention: Retention;
  readonly rollUps: RollUps;
  readonly figures: Figures;
  readonly gaps: Gaps;
  readonly pings: Pings;
  readonly receptions: Receptions;
  readonly resultAssets: ResultAssets;
  readonly processes: Processes;
  /** Hints between the processes of this database. */
  readonly wakes: Wakes;
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
  /** How long a write waits for others to share its commit with, ms. */
  readonly gatherMs?: number;
}

/** What the store of a PostgreSQL needs beside the server. */
export interface PostgresOptions extends EngineOptions {
  /** Where to listen for wake-ups, when not at the server's own address; null = nowhere, each loop looks by itself. */
  readonly listenAddress?: PostgresAddress | null;
  readonly onListening?: (state: ListeningState, why: string) => void;
  /** Whether a clock that jumped is the server's own, rather than this process's view of it. */
  readonly wasServerSet?: () => boolean;
  /** Told when work was not taken because it is another time at the server; absent = instants are not the server's. */
  readonly onOtherTime?: () => void;
}

/** Opens and migrates the store. Throws DatabaseOpenError, NewerDatabaseError or WrongKeyError with what to do. */
export function openStore({ path, secretKey, clock, ownLocation = 'local', gatherMs }: StoreOptions): Store {
  const file = openSqliteFile(path, gatherMs);
  const seal = createSeal(secretKey);
  try {
    checkSqliteKey(file, seal);
  } catch (error) {
    void file.close();
    throw error;
  }
  const transaction: Database['transaction'] = (work) => file.queue.single((connection) => work(connection.kysely));
  const database: Database = {
    dialect: sqliteDialect,
    reader: file.reader.kysely,
    transaction,
    // There is one writer: nobody loses to another.
    waitingTransaction: transaction,
    seal,
    clock,
    ownLocation,
  };
  return {
    ...nounsOf(database),
    path: createSqlitePath(file, database.seal),
    retention: createSqliteRetention(file),
    rollUps: createSqliteRollUps(file),
    wakes: noWakes,
    wasCrashed: file.wasCrashed,
    close: () => file.close(),
  };
}

/**
 * Opens and migrates the store of a PostgreSQL database. Throws StoreUnavailableError (no server, no such database, wrong
 * password), NewerDatabaseError or WrongKeyError.
 */
export async function openPostgresStore({
  address,
  ...options
}: PostgresOptions & { readonly address: PostgresAddress }): Promise<Store> {
  return storeOnPostgres(await openPostgres(address), options);
}

/** The store of an open server, which it closes when it cannot be had. Throws as `openPostgresStore` does. */
export async function storeOnPostgres(server: PostgresServer, options: PostgresOptions): Promise<Store> {
  const { secretKey, clock, ownLocation = 'local', wasServerSet = () => true, onOtherTime = null } = options;
  const seal = createSeal(secretKey);
  const { reader, transaction, waitingTransaction, connections, address } = server;
  const base = { dialect: postgresDialect, reader, transaction, waitingTransaction };
  const database: Database = { ...base, seal, clock, ownLocation };
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

type Nouns = Omit<Store, 'path' | 'retention' | 'rollUps' | 'wakes' | 'wasCrashed' | 'close'>;

function nounsOf(database: Database): Nouns {
  return {
    accounts: createAccounts(database),
    accountMoves: createAccountMoves(database),
    apiKeys: createApiKeys(database),
    triggers: createTriggers(database),
    batches: createBatches(database),
    checkResults: createCheckResults(database),
    checkHistory: createCheckHistory(database),
    checkSubjects: createCheckSubjects(database),
    checkStatuses: createCheckStatuses(database),
    checkAlerts: createCheckAlerts(database),
    deliveries: createDeliveries(database),
    alertNotifications: createAlertNotifications(database),
    failingChannels: createFailingChannels(database),
    checks: createChecks(database),
    checkGroups: createCheckGroups(database),
    alertChannels: createAlertChannels(database),
    channelConfigs: createChannelConfigs(database),
    variables: createVariables(database),
    maintenanceWindows: createMaintenanceWindows(database),
    leftovers: createLeftovers(database),
    runtimeStages: createRuntimeStages(database),
    figures: createFigures(database),
    gaps: createGaps(database),
    pings: createPings(database),
    receptions: createReceptions(database),
    resultAssets: createResultAssets(database),
    processes: createProcesses(database),
  };
}
