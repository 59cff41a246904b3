// Joins every route of the API with its action: loaded by the processes that serve it.
import { requirePermission } from '#actions/permission.ts';
import { notFound } from '#actions/refusal.ts';
import { accountRoutes } from '#rest/accounts.ts';
import { alertChannelRoutes } from '#rest/alert-channels.ts';
import { alertMessageRoutes } from '#rest/alert-messages.ts';
import { analyticsRoutes } from '#rest/analytics.ts';
import { apiKeyRoutes } from '#rest/api-keys.ts';
import { checkGroupRoutes } from '#rest/check-groups.ts';
import { checkResultRoutes } from '#rest/check-results.ts';
import { checkStatusRoutes } from '#rest/check-statuses.ts';
import { checkRoutes } from '#rest/checks.ts';
import { deliveryRoutes } from '#rest/deliveries.ts';
import { docsRoutes } from '#rest/docs.ts';
import { heldDeliveryRoutes } from '#rest/held-deliveries.ts';
import { heartbeatRoutes } from '#rest/heartbeats.ts';
import { locationRoutes } from '#rest/locations.ts';
import { noticeRoutes } from '#rest/notices.ts';
import { processRoutes } from '#rest/processes.ts';
import type { Route } from '#rest/route.ts';
import { runtimeRoutes } from '#rest/runtimes.ts';
import { triggerRoutes } from '#rest/triggers.ts';
import { clientCertificateRoutes } from '#rest/client-certificates.ts';
import { maintenanceWindowRoutes } from '#rest/maintenance-windows.ts';
import { variableRoutes } from '#rest/variables.ts';
import { composeActions } from './compose-actions.ts';
import type { ActionMeans } from './compose-means.ts';
import type { LoadedRuntimes } from './compose-runtimes.ts';
import { version } from './version.ts';

/** Every route but health and metrics. */
export function apiRoutes(means: ActionMeans): Route[] {
  const actions = composeActions(means);
  return [
    ...docsRoutes({ version, server: means.publicUrl }),
    ...runtimeRoutes(runtimeActions(means.runtimes)),
    ...accountRoutes(actions.accounts),
    ...apiKeyRoutes(actions.apiKeys),
    ...checkRoutes(actions.checks),
    ...heartbeatRoutes(actions.heartbeats, actions.pings),
    ...checkGroupRoutes(actions.checkGroups),
    ...alertChannelRoutes(actions.alertChannels),
    ...alertMessageRoutes(actions.alertMessages),
    ...variableRoutes(actions.variables),
    ...clientCertificateRoutes(actions.clientCertificates),
    ...maintenanceWindowRoutes(actions.maintenanceWindows),
    ...triggerRoutes(actions.triggers, actions.triggerCalls),
    ...checkResultRoutes(actions.checkResults, actions.resultPage),
    ...checkStatusRoutes(actions.checkStatuses, actions.checkAlerts),
    ...analyticsRoutes(actions.analytics, actions.reports),
    ...deliveryRoutes(actions.deliveries, actions.alertNotifications),
    ...heldDeliveryRoutes(actions.heldDeliveries),
    ...locationRoutes(actions.locations),
    ...noticeRoutes(actions.notices),
    ...processRoutes(actions.processes),
  ];
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
