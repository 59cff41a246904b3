// Incidents of checks: from the first alert to recovery or deletion.
import type { Page, Slice } from '#store/base/database.ts';
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Incident, Acknowledger } from '#domain/alerts/incident.ts';
import { requirePermission } from '../accounts/permission.ts';
import { invalidField, orNotFound, notFoundMessage, Refusal } from '../refusal.ts';
import { isSampleIncident } from '#domain/alerts/sample-alert.ts';
import type { Clock } from '#lib/clock.ts';
import type { AcknowledgeLinks } from './acknowledge-links.ts';
import { accountZone, type AccountZoneDeps } from '../accounts/account-zone.ts';

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
      const incident = orNotFound(await incidents.find(caller.accountId, id), 'incident', id);
      return { incident, alerts: await incidents.alerts(caller.accountId, id, maxAlerts) };
    },
  };
}

/** An incident as its page shows it. */
export interface ShownIncident extends Incident {
  /** IANA name of the zone of its times. */
  readonly timeZone: string;
}

interface AcknowledgeDeps extends Pick<Store, 'incidents' | 'apiKeys'>, AccountZoneDeps {
  readonly links: Pick<AcknowledgeLinks, 'open'>;
  /** Called for every new acknowledgement. */
  readonly onAcknowledged: (incident: Incident, by: Acknowledger) => void;
  readonly clock: Clock;
}

export type AcknowledgeActions = ReturnType<typeof createAcknowledgeActions>;

export function createAcknowledgeActions(deps: AcknowledgeDeps) {
  const { incidents, links, clock, onAcknowledged } = deps;
  const find = async (accountId: string, id: string): Promise<Incident> => {
    return orNotFound(await incidents.find(accountId, id), 'incident', id);
  };
  const incidentIdOf = async (caller: Caller, alertId: string): Promise<string> => {
    const alert = orNotFound(await incidents.ofAlert(caller.accountId, alertId), 'alert', alertId);
    if (alert.incidentId !== null) return alert.incidentId;
    throw new Refusal('conflict', 'Alerts about certificates cannot be acknowledged: they send no reminders.');
  };
  const acknowledge = async (accountId: string, id: string, by: Acknowledger): Promise<Incident> => {
    const outcome = await incidents.acknowledge(accountId, id, by, clock.now());
    const incident = await find(accountId, id);
    if (outcome === 'done') onAcknowledged(incident, by);
    return incident;
  };
  const shown = async (accountId: string, incident: Incident): Promise<ShownIncident> => ({
    ...incident,
    timeZone: await accountZone(deps, accountId),
  });
  const linked = (token: string) => {
    const found = links.open(token, clock.now());
    if (found === null) throw notFoundMessage('This link is invalid or expired. Links are valid for 30 days.');
    return found;
  };
  return {
    /**
     * Acknowledges the open incident of an alert; the first acknowledgement remains. Refuses with `not-found`, and
     * (`conflict`) if the incident has ended or the alert is about a certificate.
     */
    async acknowledge(caller: Caller, alertId: string): Promise<Incident> {
      requirePermission(caller, 'write');
      const id = await incidentIdOf(caller, alertId);
      const incident = await acknowledge(caller.accountId, id, await findAcknowledger(caller, deps));
      requireOpen(incident);
      return incident;
    },
    /** Takes it back. Refuses like `acknowledge`. */
    async unacknowledge(caller: Caller, alertId: string): Promise<void> {
      requirePermission(caller, 'write');
      const id = await incidentIdOf(caller, alertId);
      await incidents.unacknowledge(caller.accountId, id);
      requireOpen(await find(caller.accountId, id));
    },
    /** The incident of a link; null = a test message. Refuses (`not-found`) an invalid or expired link. */
    async open(token: string): Promise<ShownIncident | null> {
      const { accountId, incidentId } = linked(token);
      return isSampleIncident(incidentId) ? null : shown(accountId, await find(accountId, incidentId));
    },
    /** Acknowledges the incident of a link if it is open. Refuses like `open`. */
    async acknowledgeLinked(token: string): Promise<ShownIncident | null> {
      const { accountId, incidentId } = linked(token);
      if (isSampleIncident(incidentId)) return null;
      const by = { type: 'link', id: null, name: null } as const;
      return shown(accountId, await acknowledge(accountId, incidentId, by));
    },
  };
}

async function findAcknowledger({ principal }: Caller, { apiKeys }: AcknowledgeDeps): Promise<Acknowledger> {
  if (principal.kind === 'user') return { type: 'user', id: principal.id, name: principal.email };
  return { type: 'api-key', id: principal.id, name: (await apiKeys.find(principal.id))?.name ?? null };
}

function requireOpen({ endedAt, endedBy }: Incident): void {
  if (endedAt === null) return;
  const how = endedBy === 'deletion' ? 'its check was deleted' : 'its check recovered';
  throw new Refusal('conflict', `The incident is over: ${how} at ${new Date(endedAt).toISOString()}.`);
}
