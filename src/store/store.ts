// The store: all rows of an installation, by noun. Opened once by compose.ts.
import { type AccountReports, createAccountReports } from './channels/account-reports.ts';
import { type ActiveHoursOfChannels, createActiveHours } from './channels/active-hours.ts';
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
import { createChecksWithoutChannels, type ChecksWithoutChannels } from './channels/checks-without-channels.ts';
import { type Checks, createChecks } from './checks/checks.ts';
import { type Batches, createBatches } from './checks/batches.ts';
import { type BrowserChecks, createBrowserChecks } from './checks/browser-checks.ts';
import { type CheckLocations, createCheckLocations } from './checks/check-locations.ts';
import type { Database } from './base/database.ts';
import { createDeliveries, type Deliveries } from './channels/deliveries.ts';
import { createHeldDeliveries, type HeldDeliveries } from './channels/held-deliveries.ts';
import { createSendingQuotas, type SendingQuotas } from './channels/sending-quotas.ts';
import { type AlertStorms, createAlertStorms } from './channels/alert-storms.ts';
import { createFailingChannels, type FailingChannels } from './channels/failing-channels.ts';
import { createNoticeChannel, type NoticeChannel } from './channels/notice-channel.ts';
import { createOrphans, type Orphans } from './accounts/orphans.ts';
import { createFigures, type Figures } from './accounts/figures.ts';
import { createGaps, type Gaps } from './accounts/gaps.ts';
import { createFirstRuns, type FirstRuns } from './path/schedule/first-runs.ts';
import type { Path } from './path/path.ts';
import { createProcesses, type Processes } from './accounts/processes.ts';
import { createIncidents, type Incidents } from './history/incidents.ts';
import type { Retention } from './history/retention.ts';
import type { RollUps } from './history/roll-ups.ts';
import { createMaintenanceWindows, type MaintenanceWindows } from './checks/maintenance-windows.ts';
import type { SchemaMigration } from './base/migrate.ts';
import { type AccountChanges, createAccountChanges } from './overview/account-changes.ts';
import { createOverview, type Overview } from './overview/overview.ts';
import { createInvites, type Invites } from './accounts/invites.ts';
import { createPings, type Pings } from './history/pings.ts';
import { createReceptions, type Receptions } from './path/heartbeats/reception.ts';
import { createResultAssets, type ResultAssets } from './history/result-assets.ts';
import { createRuntimeStages, type RuntimeStages } from './accounts/runtime-stages.ts';
import { createRequestedRuntimes, type RequestedRuntimes } from './accounts/requested-runtimes.ts';
import { createSessions, type Sessions } from './accounts/sessions.ts';
import { createSetupLinks, type SetupLinks } from './accounts/setup-links.ts';
import { createWatchdog, type Watchdog } from './accounts/watchdog.ts';
import { createTriggerCalls, type TriggerCalls } from './checks/trigger-calls.ts';
import { createTriggers, type Triggers } from './checks/triggers.ts';
import { createUsers, type Users } from './accounts/users.ts';
import { type ClientCertificates, createClientCertificates } from './accounts/client-certificates.ts';
import { createVariables, type Variables } from './accounts/variables.ts';
import type { Wakes } from './base/wakes.ts';

/** The complete store: one property per type of record, each in its own file. */
export interface Store {
  readonly accounts: Accounts;
  readonly apiKeys: ApiKeys;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly setupLinks: SetupLinks;
  readonly invites: Invites;
  readonly triggers: Triggers;
  readonly triggerCalls: TriggerCalls;
  readonly batches: Batches;
  readonly checkResults: CheckResults;
  readonly checkHistory: CheckHistory;
  readonly checkSubjects: CheckSubjects;
  readonly checkStatuses: CheckStatuses;
  readonly checkAlerts: CheckAlerts;
  readonly incidents: Incidents;
  readonly overview: Overview;
  readonly accountChanges: AccountChanges;
  readonly deliveries: Deliveries;
  readonly alertNotifications: AlertNotifications;
  readonly heldDeliveries: HeldDeliveries;
  readonly sendingQuotas: SendingQuotas;
  readonly activeHours: ActiveHoursOfChannels;
  readonly accountReports: AccountReports;
  readonly failingChannels: FailingChannels;
  readonly alertStorms: AlertStorms;
  readonly checks: Checks;
  readonly checkGroups: CheckGroups;
  readonly alertChannels: AlertChannels;
  readonly channelConfigs: ChannelConfigs;
  readonly variables: Variables;
  readonly clientCertificates: ClientCertificates;
  readonly maintenanceWindows: MaintenanceWindows;
  readonly orphans: Orphans;
  readonly runtimeStages: RuntimeStages;
  readonly requestedRuntimes: RequestedRuntimes;
  readonly browserChecks: BrowserChecks;
  readonly checkLocations: CheckLocations;
  readonly firstRuns: FirstRuns;
  readonly checkVariables: CheckVariables;
  readonly checksWithoutChannels: ChecksWithoutChannels;
  readonly path: Path;
  readonly retention: Retention;
  readonly rollUps: RollUps;
  readonly figures: Figures;
  readonly gaps: Gaps;
  readonly pings: Pings;
  readonly receptions: Receptions;
  readonly resultAssets: ResultAssets;
  readonly processes: Processes;
  readonly watchdog: Watchdog;
  readonly noticeChannel: NoticeChannel;
  /** Hints between the processes of this database. */
  readonly wakes: Wakes;
  /** Whether the previous process ended without closing. */
  readonly wasCrashed: boolean;
  close(): Promise<void>;
}

/** Options of opening a store on any engine. */
export interface EngineOptions {
  /** The 32-byte key that encrypts secrets at rest. */
  readonly secretKey: Uint8Array;
  readonly clock: Clock;
  /** Code of this server's own run location. */
  readonly ownLocation?: string;
  /** Default limits of resources per account; none by default. */
  readonly limits?: AccountLimits;
  /** Called before the schema of an older database is migrated, which may take minutes. */
  readonly onMigrating?: (news: SchemaMigration) => void;
}

/** The nouns with the same statements on both engines. */
export type Nouns = Omit<Store, 'path' | 'retention' | 'rollUps' | 'wakes' | 'wasCrashed' | 'close'>;

/** All nouns over one database. */
export function nounsOf(database: Database): Nouns {
  const checkHistory = createCheckHistory(database);
  return {
    accounts: createAccounts(database),
    apiKeys: createApiKeys(database),
    users: createUsers(database),
    sessions: createSessions(database),
    setupLinks: createSetupLinks(database),
    invites: createInvites(database),
    triggers: createTriggers(database),
    triggerCalls: createTriggerCalls(database),
    batches: createBatches(database),
    checkResults: createCheckResults(database),
    checkHistory,
    checkSubjects: createCheckSubjects(database),
    checkStatuses: createCheckStatuses(database),
    checkAlerts: createCheckAlerts(database),
    incidents: createIncidents(database),
    overview: createOverview(database, checkHistory),
    accountChanges: createAccountChanges(database),
    deliveries: createDeliveries(database),
    alertNotifications: createAlertNotifications(database),
    heldDeliveries: createHeldDeliveries(database),
    sendingQuotas: createSendingQuotas(database),
    activeHours: createActiveHours(database),
    accountReports: createAccountReports(database),
    failingChannels: createFailingChannels(database),
    alertStorms: createAlertStorms(database),
    checks: createChecks(database),
    checkGroups: createCheckGroups(database),
    alertChannels: createAlertChannels(database),
    channelConfigs: createChannelConfigs(database),
    variables: createVariables(database),
    clientCertificates: createClientCertificates(database),
    maintenanceWindows: createMaintenanceWindows(database),
    orphans: createOrphans(database),
    runtimeStages: createRuntimeStages(database),
    requestedRuntimes: createRequestedRuntimes(database),
    checkVariables: createCheckVariables(database),
    checksWithoutChannels: createChecksWithoutChannels(database),
    browserChecks: createBrowserChecks(database),
    checkLocations: createCheckLocations(database),
    firstRuns: createFirstRuns(database),
    figures: createFigures(database),
    gaps: createGaps(database),
    pings: createPings(database),
    receptions: createReceptions(database),
    resultAssets: createResultAssets(database),
    watchdog: createWatchdog(database),
    noticeChannel: createNoticeChannel(database),
    processes: createProcesses(database),
  };
}
