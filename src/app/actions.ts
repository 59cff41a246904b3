// Joins every action with the store, the kinds of checks and the channels.
import { randomUUID } from 'node:crypto';
import { createAccountActions } from '#actions/accounts/accounts.ts';
import { createChannelActions } from '#actions/alerts/alert-channels.ts';
import { createAlertNotificationActions } from '#actions/alerts/alert-notifications.ts';
import { createAnalyticsActions } from '#actions/results/analytics.ts';
import { createApiKeyActions } from '#actions/accounts/api-keys.ts';
import { createDownloads, pictureBounds } from '#actions/results/asset-downloads.ts';
import { createCheckAlertActions } from '#actions/alerts/check-alerts.ts';
import { createGroupActions } from '#actions/checks/check-groups.ts';
import { createCheckResultActions } from '#actions/results/check-results.ts';
import { createCheckStatusActions } from '#actions/checks/check-statuses.ts';
import { createCheckActions } from '#actions/checks/checks.ts';
import { createClientCertificateActions } from '#actions/accounts/client-certificates.ts';
import { createDeliveryActions } from '#actions/alerts/deliveries.ts';
import { createHeldDeliveryActions } from '#actions/alerts/held-deliveries.ts';
import { createHeartbeatActions } from '#actions/heartbeats/heartbeats.ts';
import { createPingAllowance } from '#actions/heartbeats/ping-allowance.ts';
import { createPingActions } from '#actions/heartbeats/pings.ts';
import { createLocationActions } from '#actions/checks/locations.ts';
import { createMissingBrowsers } from '#actions/checks/missing-browsers.ts';
import { createNoticeActions } from '#actions/operating/notices.ts';
import { createProcessActions } from '#actions/operating/processes.ts';
import { createRuntimeEnds } from '#actions/checks/runtime-ends.ts';
import { createReportActions } from '#actions/results/reports.ts';
import { createResultPageActions } from '#actions/results/result-page.ts';
import { createTriggerCallActions } from '#actions/checks/trigger-calls.ts';
import { createTriggerActions } from '#actions/checks/triggers.ts';
import { createMaintenanceWindowActions } from '#actions/checks/maintenance-windows.ts';
import { createUnheardNotices } from '#actions/alerts/unheard-checks.ts';
import { createVariableActions } from '#actions/accounts/variables.ts';
import { channelRules } from '#channels/rules.ts';
import { wholeConfig } from '#contract/alerts/alert-channel.ts';
import { kindOf } from '#checks/check-kinds.ts';
import type { CheckType } from '#domain/checks/check.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Reason } from '#domain/results/result.ts';
import { createGather } from '#lib/gather.ts';
import { newId } from '#lib/id.ts';
import { createScriptReader } from '#sandbox/read-script.ts';
import type { ReceivedPing } from '#store/path/heartbeats/receive-pings.ts';
import type { Store } from '#store/store.ts';
import { composeAlertMessages } from './alert-messages.ts';
import type { ActionMeans } from './means.ts';
import { prepareWith } from './path.ts';
import { redactorOfStore } from './redaction.ts';
import { programReader, scriptRules } from './script-rules.ts';
import { composeMissingVariables, settingsWarnings } from './warnings.ts';

/** Every action of the API, by noun. */
export type Actions = ReturnType<typeof composeActions>;

export function composeActions(means: ActionMeans) {
  const { store, clock, runtimes, links, wake, resultHints, ownProcess } = means;
  const { onChannelsChanged: onWritten } = means;
  const { checkResults, variables, maintenanceWindows, deliveries } = store;
  const forgetKey = forgetEverywhere(means);
  const redactorOf = redactorOfStore(store);
  const triggering = {
    triggers: store.triggers,
    triggerCalls: store.triggerCalls,
    batches: store.batches,
    links,
    servedLocations: () => ownProcess.servedLocations().map(({ code }) => code),
    wake: () => wake('run-checks'),
    clock,
  };
  const { resultAssets } = store;
  const resultMeans = { checkResults, resultAssets, describeResult };
  const pages = { accounts: store.accounts, download: createDownloads(pictureBounds) };
  return {
    accounts: createAccountActions({ ...store, ...scriptRules, runtimes: runtimes.list, forgetKey, clock }),
    apiKeys: createApiKeyActions({ apiKeys: store.apiKeys, forgetKey, clock }),
    ...checksOf(means),
    alertChannels: createChannelActions({ ...store, ...channelRules, wholeConfig, clock, onWritten }),
    alertMessages: composeAlertMessages(means, redactorOf),
    variables: createVariableActions({ variables, missingVariables: composeMissingVariables(store) }),
    clientCertificates: createClientCertificateActions(store),
    maintenanceWindows: createMaintenanceWindowActions({ maintenanceWindows, clock }),
    triggers: createTriggerActions(triggering),
    triggerCalls: createTriggerCallActions({
      ...triggering,
      resultHints: resultHints.listen,
      stopping: means.stopping,
    }),
    checkResults: createCheckResultActions({ ...resultMeans, download: createDownloads() }),
    resultPage: createResultPageActions({ ...resultMeans, ...pages, links, clock }),
    checkStatuses: createCheckStatusActions({ checkStatuses: store.checkStatuses, clock }),
    checkAlerts: createCheckAlertActions({ checkAlerts: store.checkAlerts, checkResults, clock }),
    analytics: createAnalyticsActions({
      ...store,
      clock,
      retentionDays: means.config.retentionDays,
      measuresOf: (checkType) => kindOf(checkType).measures,
    }),
    reports: createReportActions({ ...store, clock }),
    heldDeliveries: createHeldDeliveryActions({ ...store, wake: () => wake('send-deliveries') }),
    deliveries: createDeliveryActions({ ...store, redactorOf, wake: () => wake('send-deliveries') }),
    alertNotifications: createAlertNotificationActions({
      deliveries,
      alertNotifications: store.alertNotifications,
      redactorOf,
      defaultType: channelRules.defaultType,
      clock,
    }),
    locations: createLocationActions(() => ownProcess.servedLocations()),
    notices: createNoticeActions({ ...store, ...means, ...noticesOf(means) }),
    processes: createProcessActions({ processes: store.processes, clock }),
  };
}

/** Checks, their groups, and what heartbeats wait for. */
function checksOf(means: ActionMeans) {
  const { store, clock, runtimes, ownProcess } = means;
  const { accounts, alertChannels } = store;
  const { checks, checkGroups } = wakingChecks(means);
  const pingUrl = (token: string): string => `${means.publicUrl()}/ping/${token}`;
  const reader = createScriptReader();
  const choices = {
    ...scriptRules,
    accounts,
    locations: () => ownProcess.servedLocations(),
    runtimes: runtimes.list,
    now: () => clock.now(),
    scriptFault: reader.scriptFault,
    settingsWarnings,
    missingVariables: composeMissingVariables(store),
    scriptsRefused: means.scriptsRefused,
  };
  return {
    checks: createCheckActions({
      ...choices,
      checks,
      checkGroups,
      validateSettings: (checkType, settings) => kindOf(checkType).validateSettings(settings),
      programFault: programReader(runtimes.list, reader),
      newId,
      newToken: randomUUID,
      pingUrl,
    }),
    checkGroups: createGroupActions({ ...choices, ...channelRules, pingUrl, checks, checkGroups, alertChannels }),
    heartbeats: createHeartbeatActions({ ...store, clock }),
    pings: joinPings(means),
  };
}

/** Checks that are to run at once after a change are started at once, and whoever is notified of the end of one is, too. */
function wakingChecks(means: ActionMeans) {
  const { checks, checkGroups } = means.store;
  const waking = async <Answer>(written: Promise<Answer>): Promise<Answer> => {
    const answer = await written;
    means.wake('schedule-runs');
    return answer;
  };
  const ofChecks: Pick<Store['checks'], 'add' | 'change'> = {
    add: (write) => waking(checks.add(write)),
    change: (accountId, id, edit) => waking(checks.change(accountId, id, edit)),
  };
  const ofGroups: Pick<Store['checkGroups'], 'change' | 'remove'> = {
    change: (accountId, id, edit) => waking(checkGroups.change(accountId, id, edit)),
    remove: (accountId, id) => waking(checkGroups.remove(accountId, id)),
  };
  return {
    checks: { ...checks, ...ofChecks, remove: removeCheck(means) },
    checkGroups: { ...checkGroups, ...ofGroups },
  };
}

/** Whoever is told of the end of what was open is told at once. */
function removeCheck(means: ActionMeans): (accountId: string, id: string) => Promise<boolean> {
  const render = prepareWith(means);
  return async (accountId, id) => {
    const isRemoved = await means.store.checks.remove(accountId, id, render);
    if (isRemoved) means.wake('send-deliveries');
    return isRemoved;
  };
}

/** Pings that come in while others are written share the next commit. */
function joinPings(means: ActionMeans) {
  const { config, store, clock, metrics, wake, pingFailures } = means;
  const receive = createGather({
    write: async (pings: readonly ReceivedPing[]) => {
      try {
        return await store.path.receivePings(pings);
      } catch (error) {
        pingFailures.count += pings.length;
        throw error;
      }
    },
    most: 500,
  });
  return createPingActions({
    allowance: createPingAllowance(config.pingLimit),
    receive,
    clock,
    wake: () => wake('judge-heartbeats'),
    onAnswered: (signal, fate) => metrics.onPing(signal, fate),
  });
}

/** Notices that are for the accounts that they concern. */
function noticesOf({ config: { location }, store, clock, runtimes }: ActionMeans) {
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
    missingBrowsers: createMissingBrowsers({ ...store, location, now }),
    unheardNotices: createUnheardNotices(store),
    missingVariables: composeMissingVariables(store),
  };
}

/** Failing channels without the values of locked variables in their reasons. */
async function shownFailing(store: ActionMeans['store'], accountId: string) {
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

/** A key that is forgotten here is read again by every process. */
function forgetEverywhere({ authentication, onKeysChanged }: ActionMeans): (keyId: string) => void {
  return (keyId) => {
    authentication.forget(keyId);
    onKeysChanged();
  };
}

type DescribedResult = { readonly details: JsonValue; readonly message: string | null; readonly reason: Reason | null };

function describeResult(checkType: CheckType, result: DescribedResult, exchange: JsonObject | null): JsonObject {
  return kindOf(checkType).describeResult(result, exchange);
}
