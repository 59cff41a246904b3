// Opens, publishes and resolves incidents of status pages when services fail and recover.
import { LimitReachedError } from '#domain/accounts/account.ts';
import {
  automaticUpdate,
  type FollowedService,
  proposalFor,
  reopenedMs,
} from '#domain/status-pages/propose-incidents.ts';
import type { StatusIncident } from '#domain/status-pages/status-incident.ts';
import type { Clock } from '#lib/clock.ts';
import { newId } from '#lib/id.ts';
import type { ProposedWrite } from '#store/status-pages/status-incidents.ts';
import type { Store } from '#store/store.ts';

export interface ProposeDeps {
  readonly statusIncidents: Pick<Store['statusIncidents'], 'recent' | 'propose'>;
  readonly clock: Clock;
}

/** Follows services of an account; one transaction for each that needs something. */
export function createProposeIncidents({ statusIncidents, clock }: ProposeDeps) {
  return async (accountId: string, followed: readonly FollowedService[]): Promise<void> => {
    const now = clock.now();
    const since = now - reopenedMs;
    const recent = await statusIncidents.recent(accountId, since);
    for (const one of followed) {
      if (proposalFor(one, recent, now) === null) continue;
      try {
        await statusIncidents.propose(accountId, since, (present) => writeFor(one, present, now));
      } catch (error) {
        // Pages show the state all the same.
        if (!(error instanceof LimitReachedError)) throw error;
      }
    }
  };
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
      proposedFor: service.id,
      automaticUpdates: [update.id],
      postmortem: null,
      updates: [update],
    },
  };
}
