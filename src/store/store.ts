// The store: every row of an installation, by noun. Opened once by compose.ts.
import type { AccountLimits } from '#domain/accounts/account.ts';
import type { Clock } from '#lib/clock.ts';
import { type Accounts, createAccounts } from './accounts/accounts.ts';
import { type AlertChannels, createAlertChannels } from './channels/alert-channels.ts';
import { type ChannelConfigs, createChannelConfigs } from './channels/channel-configs.ts';
import { type AlertNotifications, createAlertNotifications } from './channels/alert-notifications.ts';
import { type ApiKeys, createApiKeys } from './accounts/api-keys.ts';
import { type CheckAlerts, createCheckAlerts } from './history/check-alerts.ts';
import { type CheckGroups, createCheckGroups } from './checks/check-groups.ts';
import { type CheckHistory, createCheckHistory } from './history/check-history.ts';
import { type CheckSubjects, createCheckSubjects } from './checks/check-subjects.ts';
import { type CheckResults, createCheckResults } from './history/check-results.ts';
import { type CheckStatuses, createCheckStatuses } from './history/check-statuses.ts';
import { type CheckVariables, createCheckVariables } from './checks/check-variables.ts';
import { createUnheardChecks, type UnheardChecks } from './channels/unheard-checks.ts';
import { type Checks, createChecks } from './checks/checks.ts';
import { type Batches, createBatches } from './checks/batches.ts';
import { type BrowserChecks, createBrowserChecks } from './checks/browser-checks.ts';
import type { Database } from './base/database.ts';
import { createDeliveries, type Deliveries } from './channels/deliveries.ts';
import { createHeldDeliveries, type HeldDeliveries } from './channels/held-deliveries.ts';
import { createFailingChannels, type FailingChannels } from './channels/failing-channels.ts';
import { createLeftovers, type Leftovers } from './accounts/leftovers.ts';
import { createFigures, type Figures } from './accounts/figures.ts';
import { createGaps, type Gaps } from './accounts/gaps.ts';
import { createFirstRuns, type FirstRuns } from './path/schedule/first-runs.ts';
import type { Path } from './path/path.ts';
import { createProcesses, type Processes } from './accounts/processes.ts';
import type { Retention } from './history/retention.ts';
import type { RollUps } from './history/roll-ups.ts';
import { createMaintenanceWindows, type MaintenanceWindows } from './checks/maintenance-windows.ts';
import type { MigrationNews } from './base/migrate.ts';
import { createPings, type Pings } from './history/pings.ts';
import { createReceptions, type Receptions } from './path/heartbeats/reception.ts';
import { createResultAssets, type ResultAssets } from './history/result-assets.ts';
import { createRuntimeStages, type RuntimeStages } from './accounts/runtime-stages.ts';
import { createRuntimeWishes, type RuntimeWishes } from './accounts/runtime-wishes.ts';
import { createTriggerCalls, type TriggerCalls } from './checks/trigger-calls.ts';
import { createTriggers, type Triggers } from './checks/triggers.ts';
import { type ClientCertificates, createClientCertificates } from './accounts/client-certificates.ts';
import { createVariables, type Variables } from './accounts/variables.ts';
import type { Wakes } from './base/wakes.ts';

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
