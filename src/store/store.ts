// The store: all rows of an installation, by noun. Opened once by compose.ts.
import { createAccountReports } from './channels/account-reports.ts';
import { createActiveHours } from './channels/active-hours.ts';
import type { AccountLimits } from '#domain/accounts/account.ts';
import type { Clock } from '#lib/clock.ts';
import { createAccounts } from './accounts/accounts.ts';
import { createAlertChannels } from './channels/alert-channels.ts';
import { createChannelConfigs } from './channels/channel-configs.ts';
import { createAlertNotifications } from './channels/alert-notifications.ts';
import { createAuditLog } from './accounts/audit-log.ts';
import { createApiKeys } from './accounts/api-keys.ts';
import { createCheckAlerting } from './overview/check-alerting.ts';
import { createCheckAlerts } from './history/check-alerts.ts';
import { createRemoveCheck, removeCheckIn } from './path/record/remove-check.ts';
import { createCheckChanges } from './checks/check-changes.ts';
import { createCheckGroups } from './checks/check-groups.ts';
import { createCheckHistory } from './history/check-history.ts';
import { createCheckSubjects } from './checks/check-subjects.ts';
import { createCheckResults } from './history/check-results.ts';
import { createCheckStatuses } from './history/check-statuses.ts';
import { createCheckTrials } from './checks/check-trials.ts';
import { createCheckVariables } from './checks/check-variables.ts';
import { createChecksWithoutChannels } from './channels/checks-without-channels.ts';
import { createChecks } from './checks/checks.ts';
import { createBatches } from './checks/batches.ts';
import { createAffectedAccounts } from './accounts/affected-accounts.ts';
import { createBrowserChecks } from './checks/browser-checks.ts';
import { createCheckLocations } from './checks/check-locations.ts';
import type { Database } from './base/database.ts';
import { createDeliveries } from './channels/deliveries.ts';
import { createHeldDeliveries } from './channels/held-deliveries.ts';
import { createSendingQuotas } from './channels/sending-quotas.ts';
import { createAlertStorms } from './channels/alert-storms.ts';
import { createFailingChannels } from './channels/failing-channels.ts';
import { createNoticeChannel } from './channels/notice-channel.ts';
import { createOrphans } from './accounts/orphans.ts';
import { createFigures } from './accounts/figures.ts';
import { createGaps } from './accounts/gaps.ts';
import { createLedger } from './accounts/ledger.ts';
import { createUsage } from './accounts/usage.ts';
import { createFirstRuns } from './schedules/first-runs.ts';
import type { Path } from './path/path.ts';
import { createConfigFolder } from './projects/config-folder.ts';
import { createPrivateLocations } from './locations/private-locations.ts';
import { createSnippets } from './scripts/snippets.ts';
import { createStatusIncidents } from './status-pages/status-incidents.ts';
import { createPageChanges } from './status-pages/page-changes.ts';
import { createPageNews } from './status-pages/page-news.ts';
import { createStatusPages } from './status-pages/status-pages.ts';
import { createServiceDays } from './overview/service-days.ts';
import { createStatusSnapshots } from './overview/status-snapshots.ts';
import { createStatusSubscribers } from './status-pages/status-subscribers.ts';
import { createSubscriptionMails } from './status-pages/subscription-mails.ts';
import { createStatusServices } from './status-pages/status-services.ts';
import { createProjects } from './projects/projects.ts';
import { createProcesses } from './accounts/processes.ts';
import { createIncidents } from './history/incidents.ts';
import type { Retention } from './history/retention.ts';
import type { RollUps } from './history/roll-ups.ts';
import { createMaintenanceWindows } from './checks/maintenance-windows.ts';
import type { OnMigrating } from './base/migrate.ts';
import { createAccountChanges } from './overview/account-changes.ts';
import { createCertificates } from './overview/certificates.ts';
import { createOverview } from './overview/overview.ts';
import { createIdentities } from './accounts/identities.ts';
import { createInvites } from './accounts/invites.ts';
import { createPastResults } from './history/past-results.ts';
import { createPings } from './history/pings.ts';
import { createReceptions } from './path/heartbeats/reception.ts';
import { createResultAssets } from './history/result-assets.ts';
import { createRuntimeStages } from './accounts/runtime-stages.ts';
import { createRequestedRuntimes } from './accounts/requested-runtimes.ts';
import { createScriptFiles } from './accounts/script-files.ts';
import { createSecondFactors } from './accounts/second-factors.ts';
import { createSessions } from './accounts/sessions.ts';
import { createPasswordResets } from './accounts/password-resets.ts';
import { createSetupLinks } from './accounts/setup-links.ts';
import { createPageCopies } from './status-pages/page-copies.ts';
import { createWatchdog } from './accounts/watchdog.ts';
import { createCheckSessions } from './sessions/check-sessions.ts';
import { createTestEvents } from './sessions/test-events.ts';
import { createTestRuns } from './sessions/test-runs.ts';
import { createTestSessions } from './sessions/test-sessions.ts';
import { createTriggerCalls } from './checks/trigger-calls.ts';
import { createTriggers } from './checks/triggers.ts';
import { createUsers } from './accounts/users.ts';
import { createClientCertificates } from './accounts/client-certificates.ts';
import { createVariables } from './accounts/variables.ts';
import type { Wakes } from './base/wakes.ts';

/** The complete store: one property per type of record, each in its own file. */
export interface Store extends Nouns {
  readonly path: Path;
  readonly retention: Retention;
  readonly rollUps: RollUps;
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
  readonly onMigrating?: OnMigrating;
}

/** The nouns with the same statements on both engines. */
export type Nouns = Readonly<ReturnType<typeof nounsOf>>;

/** What is about the installation, and about whether it works. */
function operatingNouns(database: Database) {
  return {
    affectedAccounts: createAffectedAccounts(database),
    figures: createFigures(database),
    gaps: createGaps(database),
    ledger: createLedger(database),
    usage: createUsage(database),
    watchdog: createWatchdog(database),
    noticeChannel: createNoticeChannel(database),
    processes: createProcesses(database),
  };
}

/** Status pages and what they show. */
function statusPagesOf(database: Database) {
  return {
    statusPages: createStatusPages(database),
    pageChanges: createPageChanges(database),
    pageNews: createPageNews(database),
    statusServices: createStatusServices(database),
    statusIncidents: createStatusIncidents(database),
    statusSubscribers: createStatusSubscribers(database),
    subscriptionMails: createSubscriptionMails(database),
    statusSnapshots: createStatusSnapshots(database),
    pageCopies: createPageCopies(database),
    serviceDays: createServiceDays(database),
  };
}

/** All nouns over one database. */
export function nounsOf(database: Database) {
  const checkHistory = createCheckHistory(database);
  return {
    accounts: createAccounts(database),
    apiKeys: createApiKeys(database),
    auditLog: createAuditLog(database),
    ...peopleOf(database),
    ...sessionsOf(database),
    triggers: createTriggers(database),
    triggerCalls: createTriggerCalls(database),
    checkTrials: createCheckTrials(database),
    batches: createBatches(database),
    checkResults: createCheckResults(database),
    checkHistory,
    checkSubjects: createCheckSubjects(database),
    checkStatuses: createCheckStatuses(database),
    checkAlerts: createCheckAlerts(database),
    checkAlerting: createCheckAlerting(database),
    pastResults: createPastResults(database),
    incidents: createIncidents(database),
    certificates: createCertificates(database),
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
    checks: { ...createChecks(database), remove: createRemoveCheck(database) },
    projects: createProjects(database),
    configFolder: createConfigFolder(database),
    checkChanges: createCheckChanges(database, removeCheckIn(database)),
    checkGroups: createCheckGroups(database),
    alertChannels: createAlertChannels(database),
    channelConfigs: createChannelConfigs(database),
    variables: createVariables(database),
    clientCertificates: createClientCertificates(database),
    scriptFiles: createScriptFiles(database),
    maintenanceWindows: createMaintenanceWindows(database),
    privateLocations: createPrivateLocations(database),
    snippets: createSnippets(database),
    ...statusPagesOf(database),
    orphans: createOrphans(database),
    runtimeStages: createRuntimeStages(database),
    requestedRuntimes: createRequestedRuntimes(database),
    checkVariables: createCheckVariables(database),
    checksWithoutChannels: createChecksWithoutChannels(database),
    browserChecks: createBrowserChecks(database),
    checkLocations: createCheckLocations(database),
    firstRuns: createFirstRuns(database),
    pings: createPings(database),
    receptions: createReceptions(database),
    resultAssets: createResultAssets(database),
    ...operatingNouns(database),
  };
}

/** People and their ways in. */
function peopleOf(database: Database) {
  return {
    users: createUsers(database),
    sessions: createSessions(database),
    secondFactors: createSecondFactors(database),
    identities: createIdentities(database),
    setupLinks: createSetupLinks(database),
    passwordResets: createPasswordResets(database),
    invites: createInvites(database),
  };
}

/** Runs on demand that are followed as sessions. */
function sessionsOf(database: Database) {
  return {
    checkSessions: createCheckSessions(database),
    testSessions: createTestSessions(database),
    testRuns: createTestRuns(database),
    testEvents: createTestEvents(database),
  };
}
