// Composes status pages: their actions and routes.
import { createPasswords } from '#actions/accounts/passwords.ts';
import { createIncidentUpdateActions } from '#actions/status-pages/incident-updates.ts';
import { createStatusIncidentActions } from '#actions/status-pages/status-incidents.ts';
import { createStatusPageActions } from '#actions/status-pages/status-pages.ts';
import { createStatusServiceActions } from '#actions/status-pages/status-services.ts';
import { incidentUpdateRoutes, statusIncidentRoutes } from '#rest/status-pages/status-incidents.ts';
import { statusPageRoutes } from '#rest/status-pages/status-pages.ts';
import { statusServiceRoutes } from '#rest/status-pages/status-services.ts';
import type { Route } from '#rest/route.ts';
import type { ActionDeps } from './deps.ts';

/** Actions on status pages, their services and incidents. */
export function composeStatusPages({ store, clock }: Pick<ActionDeps, 'store' | 'clock'>) {
  return {
    // Passwords of pages wait for each other, not for people who sign in.
    statusPages: createStatusPageActions({ ...store, passwords: createPasswords({ atOnce: 1, waitingMax: 30 }) }),
    statusServices: createStatusServiceActions(store),
    statusIncidents: createStatusIncidentActions({ ...store, clock }),
    incidentUpdates: createIncidentUpdateActions({ ...store, clock }),
  };
}

/** Routes on status pages, their services and incidents. */
export function routesOfStatusPages(
  { statusPages, statusServices, statusIncidents, incidentUpdates }: ReturnType<typeof composeStatusPages>,
  { publicUrl, clock }: Pick<ActionDeps, 'publicUrl' | 'clock'>,
): Route[] {
  return [
    ...statusServiceRoutes(statusServices),
    ...statusIncidentRoutes(statusIncidents, () => clock.now()),
    ...incidentUpdateRoutes(incidentUpdates, () => clock.now()),
    ...statusPageRoutes(statusPages, publicUrl),
  ];
}
