// Composes status pages: their actions and routes.
import { createIncidentUpdateActions, createStatusIncidentActions } from '#actions/status-pages/status-incidents.ts';
import { createPreviewActions } from '#actions/status-pages/preview-page.ts';
import { createServiceStates } from '#actions/status-pages/service-states.ts';
import { createStatusPageActions } from '#actions/status-pages/status-pages.ts';
import { createStatusSubscriptionActions } from '#actions/status-pages/status-subscriptions.ts';
import { createStatusServiceActions } from '#actions/status-pages/status-services.ts';
import { channelRules } from '#channels/rules.ts';
import type { Config } from '#config/config.ts';
import { renderPreview } from '#publish/render-page.ts';
import { incidentUpdateRoutes, statusIncidentRoutes } from '#rest/status-pages/status-incidents.ts';
import { pagePreviewRoute, statusPageRoutes } from '#rest/status-pages/status-pages.ts';
import { statusSubscriptionRoutes } from '#rest/status-pages/status-subscriptions.ts';
import { statusServiceRoutes } from '#rest/status-pages/status-services.ts';
import { gatewaysOf } from '#domain/deliveries/gateways.ts';
import type { Route } from '#rest/route.ts';
import { targetOf } from '../target-of.ts';
import type { ActionDeps } from './deps.ts';

type StatusPageParts = Pick<ActionDeps, 'store' | 'clock' | 'pageAccess' | 'wake'> & {
  readonly config: Pick<Config, 'serverTimeZone' | 'gateways'>;
};

/** Actions on status pages, their services and incidents. */
export function composeStatusPages({
  store,
  clock,
  pageAccess,
  config: { serverTimeZone, gateways },
  wake,
}: StatusPageParts) {
  return {
    statusPagePreviews: createPreviewActions({ ...store, targetOf, serverTimeZone, clock, render: renderPreview }),
    statusPages: createStatusPageActions({ ...store, refusesNews: channelRules.refusesNews, passwords: pageAccess }),
    statusServices: createStatusServiceActions({
      ...store,
      readStates: createServiceStates({ ...store, targetOf, clock }),
    }),
    statusSubscriptions: createStatusSubscriptionActions({
      ...store,
      sendsMail: (accountId) => gatewaysOf(gateways, accountId).smtp !== null,
      onRequested: () => wake('confirm-subscribers'),
    }),
    statusIncidents: createStatusIncidentActions({ ...store, clock }),
    incidentUpdates: createIncidentUpdateActions({ ...store, clock }),
  };
}

/** Routes on status pages, their services and incidents. */
export function routesOfStatusPages(
  {
    statusPages,
    statusPagePreviews,
    statusServices,
    statusSubscriptions,
    statusIncidents,
    incidentUpdates,
  }: ReturnType<typeof composeStatusPages>,
  { publicUrl, clock, pageAccess }: Pick<ActionDeps, 'publicUrl' | 'clock' | 'pageAccess'>,
): Route[] {
  return [
    ...statusServiceRoutes(statusServices),
    ...statusSubscriptionRoutes(statusSubscriptions),
    ...statusIncidentRoutes(statusIncidents, () => clock.now()),
    ...incidentUpdateRoutes(incidentUpdates, () => clock.now()),
    pagePreviewRoute(statusPagePreviews),
    ...statusPageRoutes(statusPages, { publicUrl, linkToken: pageAccess.linkToken }),
  ];
}
