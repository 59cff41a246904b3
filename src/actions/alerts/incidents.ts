// Incidents of checks: from the first alert to recovery or deletion.
import type { Page, Slice } from '#store/base/database.ts';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Incident } from '#domain/alerts/incident.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound } from '../refusal.ts';

/** Which incidents: those that were opened in a span of time (epoch ms, both ends included). */
export interface IncidentQuestion {
  readonly from?: number;
  readonly to?: number;
  readonly checkId?: string;
  readonly state?: 'open' | 'ended';
}

export type IncidentActions = ReturnType<typeof createIncidentActions>;

/** Alerts that are shown of an incident. */
const maxAlerts = 100;

export function createIncidentActions({ incidents }: Pick<Store, 'incidents'>) {
  return {
    /** Newest first. Refuses (`invalid`) a span that ends before it begins. */
    async list(caller: Caller, question: IncidentQuestion, page: Slice): Promise<Page<Incident>> {
      requirePermission(caller, 'read');
      const { from = null, to = null, checkId = null, state = null } = question;
      if (from !== null && to !== null && from > to) throw invalidField('from', 'must not be after to');
      return incidents.list(caller.accountId, { from, to, checkId, state }, page);
    },
    /** With its newest alerts, newest first. Refuses with `not-found`. */
    async find(caller: Caller, id: string) {
      requirePermission(caller, 'read');
      const incident = await incidents.find(caller.accountId, id);
      if (incident === null) throw notFound('incident', id);
      return { incident, alerts: await incidents.alerts(caller.accountId, id, maxAlerts) };
    },
  };
}
