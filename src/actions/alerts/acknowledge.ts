// Acknowledging the incident of an alert: no reminders until the state of its check changes.
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Acknowledger, Incident } from '#domain/alerts/incident.ts';
import { isSampleIncident } from '#domain/alerts/sample-alert.ts';
import type { Clock } from '#lib/clock.ts';
import type { AcknowledgeLinks } from './acknowledge-links.ts';
import { accountZone, type AccountZoneDeps } from '../accounts/account-zone.ts';
import { requirePermission } from '../accounts/permission.ts';
import { notFound, notFoundMessage, Refusal } from '../refusal.ts';

/** An incident as its page shows it. */
export interface ShownIncident extends Incident {
  /** IANA name of the zone of its times. */
  readonly timeZone: string;
}

export interface AcknowledgeDeps extends Pick<Store, 'incidents' | 'apiKeys'>, AccountZoneDeps {
  readonly links: Pick<AcknowledgeLinks, 'open'>;
  /** Called for every new acknowledgement. */
  readonly onAcknowledged: (incident: Incident, by: Acknowledger) => void;
  readonly clock: Clock;
}

export type AcknowledgeActions = ReturnType<typeof createAcknowledgeActions>;

export function createAcknowledgeActions(deps: AcknowledgeDeps) {
  const { incidents, links, clock, onAcknowledged } = deps;
  const find = async (accountId: string, id: string): Promise<Incident> => {
    const incident = await incidents.find(accountId, id);
    if (incident === null) throw notFound('incident', id);
    return incident;
  };
  const incidentIdOf = async (caller: Caller, alertId: string): Promise<string> => {
    const alert = await incidents.ofAlert(caller.accountId, alertId);
    if (alert === null) throw notFound('alert', alertId);
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
