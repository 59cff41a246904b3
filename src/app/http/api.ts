// Builds all routes of the API. Loaded only by processes that serve it.
import { errorMessage } from '#lib/errors.ts';
import { createHashingTurns } from '#actions/accounts/hashing-turns.ts';
import { requirePermission } from '#actions/accounts/permission.ts';
import { notFound } from '#actions/refusal.ts';
import { accountRoutes } from '#rest/accounts/accounts.ts';
import { alertChannelRoutes } from '#rest/alerts/alert-channels.ts';
import { checkAlertingRoutes } from '#rest/alerts/check-alerting.ts';
import { alertMessageRoutes } from '#rest/alerts/alert-messages.ts';
import { badgeRoutes } from '#rest/badges/badges.ts';
import { backtestRoutes } from '#rest/results/backtests.ts';
import { accountReportRoutes } from '#rest/results/account-report.ts';
import { usageRoutes } from '#rest/operating/usage.ts';
import { ledgerRoutes } from '#rest/operating/ledger.ts';
import { analyticsRoutes } from '#rest/results/analytics.ts';
import { auditLogRoutes } from '#rest/accounts/audit-log.ts';
import { apiKeyRoutes } from '#rest/accounts/api-keys.ts';
import { checkGroupRoutes } from '#rest/checks/check-groups.ts';
import { checkResultRoutes } from '#rest/results/check-results.ts';
import { checkStatusRoutes } from '#rest/checks/check-statuses.ts';
import { checkChangeRoutes } from '#rest/checks/check-changes.ts';
import { checkImportRoutes } from '#rest/checks/check-imports.ts';
import { scriptFileRoutes } from '#rest/checks/script-files.ts';
import { checkTrialRoutes } from '#rest/checks/check-trials.ts';
import { checkRoutes } from '#rest/checks/checks.ts';
import { deliveryRoutes } from '#rest/alerts/deliveries.ts';
import { docsRoutes } from '#rest/operating/docs.ts';
import { heldDeliveryRoutes } from '#rest/alerts/held-deliveries.ts';
import { heartbeatRoutes } from '#rest/checks/heartbeats.ts';
import { staticAddressRoutes, locationRoutes } from '#rest/locations/locations.ts';
import { privateLocationRoutes } from '#rest/locations/private-locations.ts';
import { snippetRoutes } from '#rest/scripts/snippets.ts';
import { noticeRoutes } from '#rest/operating/notices.ts';
import { liveEventRoutes } from '#rest/results/live-events.ts';
import type { MqttOptions } from '#rest/mqtt/serve-mqtt.ts';
import { certificateRoutes } from '#rest/results/certificates.ts';
import { overviewRoutes } from '#rest/results/overview.ts';
import { projectRoutes } from '#rest/projects/projects.ts';
import { processRoutes } from '#rest/operating/processes.ts';
import type { Route } from '#rest/route.ts';
import type { WebFiles } from '#rest/web-files.ts';
import { runtimeRoutes } from '#rest/checks/runtimes.ts';
import { checkSessionRoutes } from '#rest/sessions/check-sessions.ts';
import { type TestLinks, testSessionRoutes } from '#rest/sessions/test-sessions.ts';
import { triggerRoutes } from '#rest/checks/triggers.ts';
import { clientCertificateRoutes } from '#rest/accounts/client-certificates.ts';
import { maintenanceOccurrenceRoutes, maintenanceWindowRoutes } from '#rest/checks/maintenance-windows.ts';
import { incidentRoutes } from '#rest/alerts/incidents.ts';
import { peopleRoutes } from '#rest/accounts/people.ts';
import { createAttemptLimits } from '#rest/accounts/attempts.ts';
import { identityRoutes } from '#rest/accounts/identities.ts';
import { sessionRoutes } from '#rest/accounts/sessions.ts';
import { variableUseRoutes, variableRoutes } from '#rest/accounts/variables.ts';
import { vendorRoutes } from '#rest/vendor/vendor-routes.ts';
import { createApplyCheckChanges } from '#upkeep/apply-check-changes.ts';
import { type Actions, composeActions } from './actions.ts';
import { composeApplyFolder } from './config-folder.ts';
import type { ActionDeps } from './deps.ts';
import { routesOfStatusPages } from './status-pages.ts';
import type { LoadedRuntimes } from '../scripts/installed-runtimes.ts';
import { version } from '#config/version.ts';

/** The API, and its work in the background. */
export function composeApi(deps: ActionDeps, webFiles: WebFiles) {
  const actions = composeActions(deps);
  return {
    routes: apiRoutes(actions, deps, webFiles),
    mqtt: mqttOf(actions, deps),
    applyCheckChanges: composeApplyCheckChanges(actions, deps),
    applyFolder: composeApplyFolder(actions, deps),
  };
}

/** Messages over MQTT; undefined = switched off. */
function mqttOf(
  { testMessages: messages }: Actions,
  { config, testHints, authentication: { onForgotten } }: ActionDeps,
): MqttOptions | undefined {
  return config.servesMqtt ? { messages, hints: testHints.listen, onForgotten } : undefined;
}

/** The step that applies changes to many checks, by the rules of the API. */
function composeApplyCheckChanges(
  { checkChanges }: Pick<Actions, 'checkChanges'>,
  { store, ownProcess, clock, log }: ActionDeps,
): () => Promise<number> {
  return createApplyCheckChanges({
    store: store.checkChanges,
    applyPart: (change) => checkChanges.applyPart(change),
    owner: ownProcess.id,
    clock,
    onError: ({ accountId, id }, error) =>
      log.error('check-change.failed', { account: accountId, change: id, error: errorMessage(error) }),
  });
}

/** All routes except health and metrics. */
function apiRoutes(actions: Actions, deps: ActionDeps, webFiles: WebFiles): Route[] {
  const limits = createAttemptLimits(() => deps.clock.now());
  const people = {
    ...actions,
    knownDevices: deps.knownDevices,
    hashingTurns: createHashingTurns(),
    authenticateSession: deps.authentication.authenticateSession,
    publicUrl: deps.publicUrl,
    now: () => deps.clock.now(),
  };
  return [
    ...docsRoutes({ version, server: deps.publicUrl }),
    ...runtimeRoutes(runtimeActions(deps.runtimes)),
    ...accountRoutes(actions.accounts),
    ...apiKeyRoutes(actions.apiKeys),
    ...auditLogRoutes(actions.auditLog),
    ...peopleRoutes(actions.people, actions.invites, () => deps.clock.now()),
    ...sessionRoutes(people, limits),
    ...identityRoutes(people, limits),
    ...checkRoutes(actions.checks),
    ...checkImportRoutes(actions.checkImports),
    ...checkChangeRoutes(actions.checkChanges),
    ...checkAlertingRoutes(actions.checkAlerting),
    ...checkTrialRoutes(actions.checkTrials),
    ...scriptFileRoutes(actions.scriptFiles),
    ...heartbeatRoutes(actions.heartbeats, actions.pings),
    ...checkGroupRoutes(actions.checkGroups),
    ...alertChannelRoutes(actions.alertChannels),
    ...alertMessageRoutes(actions.alertMessages),
    ...variableRoutes(actions.variables),
    ...variableUseRoutes(actions.variableUses),
    ...clientCertificateRoutes(actions.clientCertificates),
    ...routesOfStatusPages(actions, deps),
    ...projectRoutes(actions.projects),
    ...maintenanceRoutes(actions),
    ...onDemandRoutes(actions, deps),
    ...checkResultRoutes(actions.checkResults, actions.resultPage, webFiles),
    ...stateRoutes(actions),
    ...incidentRoutes(actions.incidents, actions.acknowledge, () => deps.clock.now()),
    ...liveEventRoutes(actions.liveEvents, {
      version,
      startedAt: deps.clock.now(),
      stopping: deps.stopping,
      onForgotten: deps.authentication.onForgotten,
    }),
    ...certificateRoutes(actions.certificates),
    ...analyticsRoutes(actions.analytics, actions.reports),
    ...accountReportRoutes(actions.accountReports, actions.accountReportDeliveries),
    ...ledgerRoutes(actions.ledgers),
    ...usageRoutes(actions.usage),
    ...backtestRoutes(actions.backtests),
    ...deliveryRoutes(actions.deliveries, actions.alertNotifications),
    ...heldDeliveryRoutes(actions.heldDeliveries),
    ...locatedRoutes(actions),
    ...noticeRoutes(actions.notices),
    ...processRoutes(actions.processes),
    ...cliRoutes(actions, deps),
  ];
}

/** What the `checkly` command line asks for beyond the public operations. */
function cliRoutes(actions: Actions, deps: ActionDeps): Route[] {
  const testLinks = testLinksOf(deps);
  return vendorRoutes({ ...actions, runtimes: deps.runtimes.list, testLinks, now: () => deps.clock.now() });
}

/** The states of checks. */
function stateRoutes({ checkStatuses, checkAlerts, overview, badges }: Actions): Route[] {
  return [...checkStatusRoutes(checkStatuses, checkAlerts), ...overviewRoutes(overview), ...badgeRoutes(badges)];
}

/** Planned maintenance. */
function maintenanceRoutes({ maintenanceWindows, maintenanceOccurrences }: Actions): Route[] {
  return [...maintenanceWindowRoutes(maintenanceWindows), ...maintenanceOccurrenceRoutes(maintenanceOccurrences)];
}

/** Where checks run, and the scripts that they share. */
function locatedRoutes({ locations, staticAddresses, privateLocations, snippets }: Actions): Route[] {
  return [
    ...locationRoutes(locations),
    ...staticAddressRoutes(staticAddresses),
    ...privateLocationRoutes(privateLocations),
    ...snippetRoutes(snippets),
  ];
}

/** What starts runs on demand. */
function onDemandRoutes(actions: Actions, deps: ActionDeps): Route[] {
  return [
    ...triggerRoutes(actions.triggers, actions.triggerCalls),
    ...checkSessionRoutes(actions.checkSessions, deps.publicUrl),
    ...testSessionRoutes(actions.testSessions, testLinksOf(deps)),
  ];
}

function testLinksOf({ links, sessionLinks, clock }: ActionDeps): TestLinks {
  return { results: links, sessions: sessionLinks, now: () => clock.now() };
}

function runtimeActions(runtimes: LoadedRuntimes): Parameters<typeof runtimeRoutes>[0] {
  return {
    list(caller) {
      requirePermission(caller, 'read');
      return runtimes.list();
    },
    find(caller, name) {
      requirePermission(caller, 'read');
      const runtime = runtimes.list().find((listed) => listed.name === name);
      if (runtime === undefined) throw notFound('runtime', name);
      return runtime;
    },
  };
}
