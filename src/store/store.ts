// The store: every row of an installation, by noun. Opened once by compose.ts.
import type { AccountLimits } from '#domain/account.ts';
import type { Clock } from '#lib/clock.ts';
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
import { type CheckVariables, createCheckVariables } from './check-variables.ts';
import { createUnheardChecks, type UnheardChecks } from './unheard-checks.ts';
import { type Checks, createChecks } from './checks.ts';
import { type Batches, createBatches } from './batches.ts';
import { type BrowserChecks, createBrowserChecks } from './browser-checks.ts';
import type { Database } from './database.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { createHeldDeliveries, type HeldDeliveries } from './held-deliveries.ts';
import { createFailingChannels, type FailingChannels } from './failing-channels.ts';
import { createLeftovers, type Leftovers } from './leftovers.ts';
import { createFigures, type Figures } from './figures.ts';
import { createGaps, type Gaps } from './gaps.ts';
import { createFirstRuns, type FirstRuns } from './first-runs.ts';
import type { Path } from './path.ts';
import { createProcesses, type Processes } from './processes.ts';
import type { Retention } from './retention.ts';
import type { RollUps } from './roll-ups.ts';
import { createMaintenanceWindows, type MaintenanceWindows } from './maintenance-windows.ts';
import type { MigrationNews } from './migrate.ts';
import { createPings, type Pings } from './pings.ts';
import { createReceptions, type Receptions } from './reception.ts';
import { createResultAssets, type ResultAssets } from './result-assets.ts';
import { createRuntimeStages, type RuntimeStages } from './runtime-stages.ts';
import { createRuntimeWishes, type RuntimeWishes } from './runtime-wishes.ts';
import { createTriggerCalls, type TriggerCalls } from './trigger-calls.ts';
import { createTriggers, type Triggers } from './triggers.ts';
import { type ClientCertificates, createClientCertificates } from './client-certificates.ts';
import { createVariables, type Variables } from './variables.ts';
import type { Wakes } from './wakes.ts';

/** All nouns, each with the methods of its own file. */
export interface Store {
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly triggers: Triggers;
  readonly triggerCalls: TriggerCalls;
  readonly batches: Batches;
  readonly checkResults: CheckResults;
  readonly checkHistory: CheckHistory;
  readonly checkSubjects: CheckSubjects;
  readonly checkStatuses: CheckStatuses;
  readonly checkAlerts: CheckAlerts;
  readonly deliveries: Deliveries;
  readonly alertNotifications: AlertNotifications;
  readonly heldDeliveries: HeldDeliveries;
  readonly failingChannels: FailingChannels;
  readonly checks: Checks;
  readonly checkGroups: CheckGroups;
  readonly alertChannels: AlertChannels;
  readonly channelConfigs: ChannelConfigs;
  readonly variables: Variables;
  readonly clientCertificates: ClientCertificates;
  readonly maintenanceWindows: MaintenanceWindows;
  readonly leftovers: Leftovers;
  readonly runtimeStages: RuntimeStages;
  readonly runtimeWishes: RuntimeWishes;
  readonly browserChecks: BrowserChecks;
  readonly firstRuns: FirstRuns;
  readonly checkVariables: CheckVariables;
  readonly unheardChecks: UnheardChecks;
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
export interface EngineOptions {
  /** 32 bytes that seal secrets at rest. */
  readonly secretKey: Uint8Array;
  readonly clock: Clock;
  /** Code of this server's own run location. */
  readonly ownLocation?: string;
  /** How many of each thing an account may have; none by default. */
  readonly limits?: AccountLimits;
  /** Told before the schema of an older database is brought up to date: of much data that may take minutes. */
  readonly onMigrating?: (news: MigrationNews) => void;
}

/** The nouns that are the same statements on either engine. */
export type Nouns = Omit<Store, 'path' | 'retention' | 'rollUps' | 'wakes' | 'wasCrashed' | 'close'>;

/** Every noun over one database. */
export function nounsOf(database: Database): Nouns {
  return {
    accounts: createAccounts(database),
    apiKeys: createApiKeys(database),
    triggers: createTriggers(database),
    triggerCalls: createTriggerCalls(database),
    batches: createBatches(database),
    checkResults: createCheckResults(database),
    checkHistory: createCheckHistory(database),
    checkSubjects: createCheckSubjects(database),
    checkStatuses: createCheckStatuses(database),
    checkAlerts: createCheckAlerts(database),
    deliveries: createDeliveries(database),
    alertNotifications: createAlertNotifications(database),
    heldDeliveries: createHeldDeliveries(database),
    failingChannels: createFailingChannels(database),
    checks: createChecks(database),
    checkGroups: createCheckGroups(database),
    alertChannels: createAlertChannels(database),
    channelConfigs: createChannelConfigs(database),
    variables: createVariables(database),
    clientCertificates: createClientCertificates(database),
    maintenanceWindows: createMaintenanceWindows(database),
    leftovers: createLeftovers(database),
    runtimeStages: createRuntimeStages(database),
    runtimeWishes: createRuntimeWishes(database),
    checkVariables: createCheckVariables(database),
    unheardChecks: createUnheardChecks(database),
    browserChecks: createBrowserChecks(database),
    firstRuns: createFirstRuns(database),
    figures: createFigures(database),
    gaps: createGaps(database),
    pings: createPings(database),
    receptions: createReceptions(database),
    resultAssets: createResultAssets(database),
    processes: createProcesses(database),
  };
}
