// Builds every action from the store, the kinds of checks and the channels.
import { gatewaysOf } from '#domain/deliveries/gateways.ts';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccountActions } from '#actions/accounts/accounts.ts';
import { type ChannelDeps, createChannelActions } from '#actions/alerts/alert-channels.ts';
import { createAlertNotificationActions } from '#actions/alerts/alert-notifications.ts';
import { createGapWait, type GapWait, historyAfterGaps } from '#actions/results/after-gaps.ts';
import { createAuditLogActions } from '#actions/accounts/audit-log.ts';
import { createApiKeyActions } from '#actions/accounts/api-keys.ts';
import { createDownloads, pictureBounds } from '#actions/results/asset-downloads.ts';
import { createBadgeActions } from '#actions/badges/badges.ts';
import { createCheckAlertingActions } from '#actions/alerts/check-alerting.ts';
import { createCheckAlertActions } from '#actions/alerts/check-alerts.ts';
import { createAcknowledgeActions, createIncidentActions } from '#actions/alerts/incidents.ts';
import { createGroupActions, type GroupDeps } from '#actions/checks/check-groups.ts';
import { createCheckResultActions } from '#actions/results/check-results.ts';
import { createResultPageActions } from '#actions/results/result-page.ts';
import { createCheckStatusActions } from '#actions/checks/check-statuses.ts';
import { judgeTime } from '#checks/parts/findings/judge.ts';
import { createBacktestActions } from '#actions/results/backtests.ts';
import { createCheckImportActions } from '#actions/checks/check-imports.ts';
import { type CheckDeps, createCheckActions } from '#actions/checks/checks.ts';
import { createScriptFileActions } from '#actions/checks/script-files.ts';
import { createClientCertificateActions } from '#actions/accounts/client-certificates.ts';
import { createDeliveryActions } from '#actions/alerts/deliveries.ts';
import { createHeldDeliveryActions } from '#actions/alerts/held-deliveries.ts';
import { createHeartbeatActions } from '#actions/heartbeats/heartbeats.ts';
import { createPingAllowance, createPingActions } from '#actions/heartbeats/pings.ts';
import { createStaticAddressActions, createLocationActions } from '#actions/locations/locations.ts';
import { createOwnFaultNotices } from '#actions/operating/own-notices.ts';
import { createPrivateLocationActions } from '#actions/locations/private-locations.ts';
import { createSnippetActions } from '#actions/scripts/snippets.ts';
import { createSilentLocations } from '#actions/checks/silent-locations.ts';
import { createMissingBrowsers } from '#actions/checks/missing-browsers.ts';
import { createNoticeActions } from '#actions/operating/notices.ts';
import { createProjectActions } from '#actions/projects/projects.ts';
import { createProcessActions } from '#actions/operating/processes.ts';
import { createRuntimeEnds } from '#actions/checks/runtime-ends.ts';
import { createLiveEventActions } from '#actions/results/live-events.ts';
import { createOverviewActions } from '#actions/results/overview.ts';
import { createTriggerCallActions } from '#actions/checks/trigger-calls.ts';
import { createTriggerActions } from '#actions/checks/triggers.ts';
import { createMaintenanceOccurrenceActions } from '#actions/checks/maintenance-occurrences.ts';
import { createMaintenanceWindowActions } from '#actions/checks/maintenance-windows.ts';
import { createStormNotices, createSilentCheckNotices } from '#actions/alerts/alert-notices.ts';
import { createFindPingMasker } from '#actions/heartbeats/ping-masker.ts';
import { createVariableUseActions, createVariableActions } from '#actions/accounts/variables.ts';
import { channelRules } from '#channels/rules.ts';
import { wholeConfig } from '#contract/alerts/alert-channel.ts';
import { kindOf } from '#checks/check-kinds.ts';
import { commonProblems } from '#checks/check-schemas.ts';
import { createRedactor } from '#checks/parts/redact.ts';
import type { CheckType } from '#domain/checks/check.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Reason } from '#domain/results/result.ts';
import { errorMessage } from '#lib/errors.ts';
import { createGather } from '#lib/gather.ts';
import { newId } from '#lib/id.ts';
import { createScriptReader } from '#sandbox/read-script.ts';
import type { ReceivedPing } from '#store/path/heartbeats/receive-pings.ts';
import { composeAlertMessages } from './alert-messages.ts';
import { figuresOf } from './figures.ts';
import type { ActionDeps } from './deps.ts';
import { peopleOf } from './people-actions.ts';
import { redactorOfStore } from '../path/redaction.ts';
import { programReader, scriptRules } from '../scripts/script-rules.ts';
import { servedCodes } from '../process.ts';
import { targetOf } from '../target-of.ts';
import { composeSessions } from './sessions.ts';
import { composeStatusPages } from './status-pages.ts';
import { composeCheckChanges, wakingChecks } from './waking-checks.ts';
import { composeMissingVariables, settingsWarnings } from './warnings.ts';

/** All actions of the API, by noun. */
export type Actions = ReturnType<typeof composeActions>;

export function composeActions(deps: ActionDeps) {
  const { store, clock, runtimes, links, wake, resultHints, ownProcess } = deps;
  const forget = forgetEverywhere(deps);
  const redactorOf = redactorOfStore(store);
  const triggering = {
    ...store,
    links,
    servedLocations: () => ownProcess.servedLocations().map(({ code }) => code),
    wake: () => wake('run-checks'),
    clock,
  };
  const afterGaps = createGapWait({ gaps: store.gaps, startedAt: ownProcess.startedAt, pause });
  return {
    accounts: createAccountActions({ ...store, ...scriptRules, runtimes: runtimes.list, forget, clock }),
    apiKeys: createApiKeyActions({ ...store, forgetKey: forget, clock }),
    auditLog: createAuditLogActions(store),
    ...peopleOf(deps, forget),
    ...checksOf(deps, afterGaps),
    alertChannels: createChannelActions(channelDeps(deps)),
    alertMessages: composeAlertMessages(deps, redactorOf),
    variableUses: createVariableUseActions(store),
    variables: createVariableActions({ ...store, missingVariables: composeMissingVariables(store) }),
    clientCertificates: createClientCertificateActions(store),
    scriptFiles: createScriptFileActions(store),
    maintenanceWindows: createMaintenanceWindowActions({ ...store, targetOf, clock }),
    ...composeStatusPages(deps),
    maintenanceOccurrences: createMaintenanceOccurrenceActions({ ...store, clock }),
    triggers: createTriggerActions(triggering),
    triggerCalls: createTriggerCallActions({
      ...triggering,
      resultHints: resultHints.listen,
      stopping: deps.stopping,
    }),
    checkResults: createCheckResultActions({ ...store, describeResult, download: createDownloads() }),
    resultPage: resultPageOf(deps),
    ...alertsOf(deps),
    ...overviewOf(deps, afterGaps),
    ...figuresOf(deps, afterGaps),
    heldDeliveries: createHeldDeliveryActions({ ...store, wake: () => wake('send-deliveries') }),
    deliveries: createDeliveryActions({ ...store, redactorOf, wake: () => wake('send-deliveries') }),
    alertNotifications: createAlertNotificationActions({
      ...store,
      redactorOf,
      defaultType: channelRules.defaultType,
      clock,
    }),
    ...locationsOf(deps),
    notices: createNoticeActions({ ...store, ...deps, ...noticesOf(deps) }),
    processes: createProcessActions({ ...store, clock }),
  };
}

/** Where checks run, and where they come from. */
function locationsOf({ config, store, clock, ownProcess }: ActionDeps) {
  return {
    privateLocations: createPrivateLocationActions({ ...store, newId, now: () => clock.now() }),
    locations: createLocationActions(() => ownProcess.locations().filter(({ isPrivate }) => !isPrivate)),
    staticAddresses: createStaticAddressActions({ ...config, ...store }),
  };
}

/** The page of a RESULT_LINK. */
function resultPageOf({ config: { serverTimeZone }, store, links, clock }: ActionDeps) {
  return createResultPageActions({
    ...store,
    serverTimeZone,
    describeResult,
    download: createDownloads(pictureBounds),
    findPingMasker: createFindPingMasker({ ...store, hide: (values) => createRedactor(values).text }),
    links,
    clock,
  });
}

/** State and open alerts of checks. */
function alertsOf({ config: { serverTimeZone }, store, clock, acknowledgeLinks, log }: ActionDeps) {
  return {
    checkStatuses: createCheckStatusActions({ ...store, clock }),
    checkAlerting: createCheckAlertingActions({ ...store, clock }),
    checkAlerts: createCheckAlertActions({ ...store, clock }),
    incidents: createIncidentActions(store),
    acknowledge: createAcknowledgeActions({
      ...store,
      serverTimeZone,
      links: acknowledgeLinks,
      clock,
      onAcknowledged: ({ id, checkId, checkName }, { type, name }) =>
        log.info('incident.acknowledged', { check: checkName, id: checkId, incident: id, by: name ?? type }),
    }),
  };
}

/** The overview of checks, badges of their states, and change tracking. */
function overviewOf({ store, clock, resultHints, attemptHints, badgeLinks }: ActionDeps, afterGaps: GapWait) {
  return {
    overview: createOverviewActions({ ...store, afterGaps, targetOf, clock }),
    badges: createBadgeActions({ ...store, targetOf, links: badgeLinks, clock }),
    liveEvents: createLiveEventActions({
      accountChanges: store.accountChanges,
      hints: [resultHints.listen, attemptHints.listen],
    }),
  };
}

function channelDeps({ config, store, clock, onChannelsChanged }: ActionDeps): ChannelDeps {
  return {
    ...store,
    serverTimeZone: config.serverTimeZone,
    ...channelRules,
    missing: (type, accountId) => channelRules.missing(type, gatewaysOf(config.gateways, accountId)),
    wholeConfig,
    clock,
    onWritten: onChannelsChanged,
  };
}

/** What drafts of checks and groups are validated with. */
function draftDeps(deps: ActionDeps) {
  const { store, clock, runtimes, ownProcess } = deps;
  const { accounts, alertChannels } = store;
  const { checks, checkGroups } = wakingChecks(deps);
  const pingUrl = (token: string): string => `${deps.publicUrl()}/ping/${token}`;
  const reader = createScriptReader();
  const choices = {
    ...scriptRules,
    accounts,
    locations: () => ownProcess.locations().filter(({ isPrivate }) => !isPrivate),
    runtimes: runtimes.list,
    now: () => clock.now(),
    scriptFault: reader.scriptFault,
    privateLocations: store.privateLocations,
    snippets: store.snippets,
    statusServices: store.statusServices,
    settingsWarnings,
    missingVariables: composeMissingVariables(store),
    scriptsRefused: deps.scriptsRefused,
  };
  const drafts = {
    ...choices,
    checks,
    checkGroups,
    validateSettings: (checkType: CheckType, settings: JsonObject) => kindOf(checkType).validateSettings(settings),
    commonProblems,
    programFault: programReader(runtimes.list, reader),
    scriptFiles: store.scriptFiles,
    newId,
    newToken: randomUUID,
    pingUrl,
  };
  const groups = { ...choices, ...channelRules, pingUrl, checks, checkGroups, alertChannels };
  return { checks, drafts, groups };
}

/** Checks, their groups, heartbeats, triggers and results. */
function checksOf(deps: ActionDeps, afterGaps: GapWait) {
  const { store, clock, ownProcess } = deps;
  const { checks, drafts, groups } = draftDeps(deps);
  return {
    checks: createCheckActions(drafts),
    ...composeSessions(deps, { drafts, groupDrafts: groups, describeResult }),
    checkImports: createCheckImportActions({ drafts, checks }),
    checkChanges: composeCheckChanges(deps, drafts),
    backtests: createBacktestActions({
      ...store,
      drafts,
      servedLocations: servedCodes(ownProcess),
      isDigested: channelRules.isDigested,
      isBrief: channelRules.isBrief,
      judgeTime: (ms, limits) => judgeTime(ms, limits).verdict,
      clock,
    }),
    checkGroups: createGroupActions(groups),
    snippets: createSnippetActions({ ...drafts, snippets: store.snippets }),
    projects: projectsOf(deps, drafts, groups),
    heartbeats: createHeartbeatActions({
      ...store,
      checkHistory: historyAfterGaps(store.checkHistory, afterGaps, store.gaps),
      clock,
    }),
    pings: composePings(deps),
  };
}

/** Projects and their deployments. */
function projectsOf(deps: ActionDeps, drafts: CheckDeps, groups: GroupDeps) {
  const { store } = deps;
  return createProjectActions({
    projects: store.projects,
    variables: store.variables,
    channels: channelDeps(deps),
    groups,
    checks: drafts,
    windows: store.maintenanceWindows,
    pages: { ...store, refusesNews: channelRules.refusesNews, passwords: deps.pageAccess },
    newId,
    onApplied: (isDeleting) => {
      deps.wake('schedule-runs');
      deps.onChannelsChanged();
      if (isDeleting) deps.wake('apply-check-changes');
    },
    onError: (error) => deps.log.error('deployment.failed', { error: errorMessage(error) }),
    stopping: deps.stopping,
  });
}

/** Pings that arrive during a write share the next commit. */
function composePings(deps: ActionDeps) {
  const { config, store, clock, metrics, wake, pingFailures } = deps;
  const receive = createGather({
    write: async (pings: readonly ReceivedPing[]) => {
      try {
        return await store.path.receivePings(pings);
      } catch (error) {
        pingFailures.count += pings.length;
        throw error;
      }
    },
    max: 500,
  });
  return createPingActions({
    allowance: createPingAllowance(config.pingLimit),
    receive,
    clock,
    wake: () => wake('judge-heartbeats'),
    onAnswered: (signal, fate) => metrics.onPing(signal, fate),
  });
}

/** Notices for the accounts that they concern. */
function noticesOf({ config: { location }, store, clock, runtimes, ownProcess }: ActionDeps) {
  const now = (): number => clock.now();
  return {
    failingChannels: { list: (accountId: string) => shownFailing(store, accountId) },
    runtimeEnds: createRuntimeEnds({
      ...store,
      ...scriptRules,
      runtimes: runtimes.list,
      endedRuntimes: runtimes.ended,
      now,
    }),
    silentLocations: createSilentLocations({ ...store, locations: () => ownProcess.locations(), now }),
    missingBrowsers: createMissingBrowsers({ ...store, location, now }),
    ownFaultNotices: createOwnFaultNotices({ ...store, now }),
    silentCheckNotices: createSilentCheckNotices(store),
    stormNotices: createStormNotices(store),
    missingVariables: composeMissingVariables(store),
  };
}

/** Failing channels, with the values of locked variables redacted from their reasons. */
async function shownFailing(store: ActionDeps['store'], accountId: string) {
  const failing = await store.failingChannels.list(accountId);
  const variables = failing.length === 0 ? [] : await store.variables.all(accountId);
  return Promise.all(
    failing.map(async (one) => {
      const found = await store.alertChannels.find(accountId, one.alertChannelId);
      if (one.reason === null || found === null) return { ...one, reason: null };
      const locked = channelRules.lockedOf(found.channel, variables);
      return { ...one, reason: channelRules.redactFault('config.url', one.reason, locked) };
    }),
  );
}

/** Clears a key or user from the caches of all processes. */
function forgetEverywhere({ authentication, onKeysChanged }: ActionDeps): (id?: string) => void {
  return (id) => {
    authentication.forget(id);
    onKeysChanged();
  };
}

type DescribedResult = { readonly details: JsonValue; readonly message: string | null; readonly reason: Reason | null };

function describeResult(checkType: CheckType, result: DescribedResult, exchange: JsonObject | null): JsonObject {
  return kindOf(checkType).describeResult(result, exchange);
}
