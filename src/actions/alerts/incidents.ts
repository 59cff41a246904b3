// Incidents of checks: from the first alert to recovery or deletion.
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Incident } from '#domain/alerts/incident.ts';
import type { StoredAlert } from './check-alerts.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, notFound } from '../refusal.ts';

/** Which incidents: those that were opened in a span of time (epoch ms, both ends included). */
export interface IncidentQuestion {
  readonly from?: number;
  readonly to?: number;
  readonly checkId?: string;
  readonly state?: 'open' | 'ended';
}

type Page = { readonly limit: number; readonly offset: number };

/** What these actions need. */
export type IncidentDeps = Pick<Store, 'incidents'>;

export interface IncidentActions {
  /** Newest first. Refuses (`invalid`) a span that ends before it begins. */
  list(caller: Caller, question: IncidentQuestion, page: Page): Promise<{ rows: Incident[]; total: number }>;
  /** With its newest alerts, newest first. Refuses with `not-found`. */
  find(caller: Caller, id: string): Promise<{ readonly incident: Incident; readonly alerts: readonly StoredAlert[] }>;
}

/** Alerts that are shown of an incident. */
const maxAlerts = 100;

export function createIncidentActions({ incidents }: IncidentDeps): IncidentActions {
  return {
    async list(caller, { from = null, to = null, checkId = null, state = null }, page) {
      requirePermission(caller, 'read');
      if (from !== null && to !== null && from > to) throw invalidField('from', 'must not be after to');
      return incidents.list(caller.accountId, { from, to, checkId, state }, page);
    },
    async find(caller, id) {
      requirePermission(caller, 'read');
      const incident = await incidents.find(caller.accountId, id);
      if (incident === null) throw notFound('incident', id);
      return { incident, alerts: await incidents.alerts(caller.accountId, id, maxAlerts) };
    },
  };
}
