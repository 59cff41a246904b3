// Opens, publishes and resolves incidents of status pages when services fail and recover.
import { setImmediate as breathe } from 'node:timers/promises';
import { LimitReachedError } from '#domain/accounts/account.ts';
import {
  automaticUpdate,
  type FollowedService,
  proposalFor,
  proposerOf,
  reopenedMs,
} from '#domain/status-pages/propose-incidents.ts';
import { ruleOf, type StatusIncident } from '#domain/status-pages/status-incident.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import type { ProposedWrite } from '#store/status-pages/status-incidents.ts';
import type { Store } from '#store/store.ts';

export interface ProposeDeps extends Pick<Store, 'statusIncidents' | 'checks'> {
  readonly clock: Clock;
}

/** Services and checks that are followed before others have a turn. */
const followedAtOnce = 50;

/**
 * Follows services and checks of an account; one transaction for each that needs something.
 * @param recent incidents that are open, and those that were resolved in the last ten minutes
 */
export function createProposeIncidents({ statusIncidents, checks, clock }: ProposeDeps) {
  return async (
    accountId: string,
    followed: readonly FollowedService[],
    recent: readonly StatusIncident[],
  ): Promise<void> => {
    const now = clock.now();
    const since = now - reopenedMs;
    const incidentsOf = indexed(recent);
    let isFull = false;
    for (const [index, one] of followed.entries()) {
      if (index % followedAtOnce === followedAtOnce - 1) await breathe();
      const proposal = proposalFor(one, incidentsOf(one), now);
      if (proposal === null || (proposal.kind === 'open' && isFull)) continue;
      const ruled = await withRule(checks, one);
      if (ruled === null) continue;
      try {
        await statusIncidents.propose(accountId, since, (present) => writeFor(ruled, present, now));
      } catch (error) {
        // Pages show the state all the same.
        if (!(error instanceof LimitReachedError)) throw error;
        isFull = true;
      }
    }
  };
}

/** Finds the incidents that matter to what is followed. */
function indexed(recent: readonly StatusIncident[]): (followed: FollowedService) => readonly StatusIncident[] {
  const byProposer = Map.groupBy(recent, ({ proposedFor }) => proposedFor);
  const byService = new Map<string, StatusIncident[]>();
  for (const incident of recent) {
    for (const id of incident.serviceIds) {
      const known = byService.get(id);
      if (known === undefined) byService.set(id, [incident]);
      else known.push(incident);
    }
  }
  return (followed) => {
    const own = byProposer.get(proposerOf(followed)) ?? [];
    const about = byService.get(followed.service.id) ?? [];
    return own.length === 0 ? about : [...new Set([...own, ...about])];
  };
}

/** What is followed with the rule of its check, which is read when it matters; null = the check opens none any more. */
async function withRule(checks: ProposeDeps['checks'], followed: FollowedService): Promise<FollowedService | null> {
  const { service, checkId } = followed;
  if (checkId === null) return followed;
  const trigger = (await checks.find(service.accountId, checkId))?.check.triggerIncident ?? null;
  if (trigger?.serviceId !== service.id) return null;
  return { ...followed, service: { ...service, incidents: ruleOf(trigger) } };
}

/** What the proposal for a service writes; null = nothing. @param now epoch ms */
function writeFor(followed: FollowedService, recent: readonly StatusIncident[], now: number): ProposedWrite | null {
  const proposal = proposalFor(followed, recent, now);
  if (proposal === null) return null;
  if (proposal.kind === 'publish') return { incident: { ...proposal.incident, isDraft: false }, update: null };
  if (proposal.kind !== 'open') {
    const update = automaticUpdate(proposal.kind, followed, newId(), now);
    const { incident } = proposal;
    const automaticUpdates = [...incident.automaticUpdates, update.id];
    // A draft that is over is published by people only.
    const publishAt = proposal.kind === 'resolve' ? null : incident.publishAt;
    return { incident: { ...incident, publishAt, automaticUpdates, updates: [...incident.updates, update] }, update };
  }
  const { service, startedAt, publishAt } = proposal;
  const update = automaticUpdate('open', followed, newId(), startedAt);
  const isPublished = publishAt !== null && publishAt <= now;
  return {
    added: {
      accountId: service.accountId,
      id: newId(),
      name: service.incidents.name ?? service.name,
      severity: service.incidents.severity,
      serviceIds: [service.id],
      isDraft: !isPublished,
      publishAt,
      startedAt,
      proposedFor: proposerOf(followed),
      automaticUpdates: [update.id],
      postmortem: null,
      updates: [update],
    },
  };
}
