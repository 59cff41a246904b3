// How failures of services become incidents of status pages: drafts, or incidents that are published by themselves.
import type { ServiceState } from './service-state.ts';
import type { IncidentUpdate, StatusIncident, UpdateStatus } from './status-incident.ts';
import type { PageLanguage } from './status-page.ts';
import type { StatusService } from './status-service.ts';

/** A service and what its checks say of it. Instants are epoch ms. */
export interface FollowedService {
  readonly service: StatusService;
  readonly state: ServiceState;
  readonly since: number | null;
  /** Language of the pages that show it. */
  readonly language: PageLanguage;
}

/** What must be written. */
export type Proposal =
  | {
      readonly kind: 'open';
      readonly service: StatusService;
      readonly startedAt: number;
      readonly publishAt: number | null;
    }
  | { readonly kind: 'publish'; readonly incident: StatusIncident }
  | { readonly kind: 'resolve' | 'reopen'; readonly incident: StatusIncident };

/** A failure that returns within this time continues its incident, ms. */
export const reopenedMs = 600_000;

/** An incident that returned so often is not continued: updates of it. */
export const mostReopened = 20;

const minuteMs = 60_000;

/**
 * What a service needs at `now` (epoch ms). Incidents that people updated, or opened, are theirs.
 * @param incidents those that are open, and those that were resolved in the last ten minutes
 */
export function proposalFor(
  { service, state, since }: FollowedService,
  incidents: readonly StatusIncident[],
  now: number,
): Proposal | null {
  const { mode, afterMinutes } = service.incidents;
  const about = incidents.filter(({ serviceIds }) => serviceIds.includes(service.id));
  const own = about.filter((incident) => incident.proposedFor === service.id && isAutomatic(incident));
  const open = own.find(({ resolvedAt }) => resolvedAt === null);
  if (state === 'outage') {
    if (open !== undefined) {
      const isDue = open.isDraft && open.publishAt !== null && open.publishAt <= now;
      return isDue ? { kind: 'publish', incident: open } : null;
    }
    if (mode === 'NEVER' || about.some(({ resolvedAt }) => resolvedAt === null)) return null;
    const recent = own.find(
      ({ resolvedAt, updates }) =>
        resolvedAt !== null && now - resolvedAt < reopenedMs && updates.length < mostReopened,
    );
    if (recent !== undefined) return { kind: 'reopen', incident: recent };
    const startedAt = since ?? now;
    return { kind: 'open', service, startedAt, publishAt: mode === 'PUBLISH' ? now + afterMinutes * minuteMs : null };
  }
  // Without data, nobody knows whether the failure is over.
  return open !== undefined && state !== 'unknown' ? { kind: 'resolve', incident: open } : null;
}

/** Whether no person or program wrote an update. */
function isAutomatic({ updates, automaticUpdates }: StatusIncident): boolean {
  return updates.every(({ id }) => automaticUpdates.includes(id));
}

const texts: Readonly<
  Record<PageLanguage, Readonly<Record<'opened' | 'resolved' | 'reopened', (name: string) => string>>>
> = {
  en: {
    opened: (name) => `${name} is currently not working as expected. We are looking into it.`,
    resolved: (name) => `${name} works again.`,
    reopened: (name) => `The problem with ${name} has returned. We are looking into it.`,
  },
  de: {
    opened: (name) => `${name} funktioniert derzeit nicht wie erwartet. Wir untersuchen die Ursache.`,
    resolved: (name) => `${name} funktioniert wieder.`,
    reopened: (name) => `Das Problem mit ${name} ist wieder aufgetreten. Wir untersuchen die Ursache.`,
  },
};

/** The update that a proposal adds. No text comes from a target. @param at epoch ms */
export function automaticUpdate(
  kind: 'open' | 'resolve' | 'reopen',
  { service, language }: Pick<FollowedService, 'service' | 'language'>,
  id: string,
  at: number,
): IncidentUpdate {
  const { name, incidents } = service;
  const status: UpdateStatus = kind === 'resolve' ? 'RESOLVED' : 'INVESTIGATING';
  const words = texts[language];
  const described = kind === 'open' && incidents.description !== null;
  const text = { open: words.opened, resolve: words.resolved, reopen: words.reopened }[kind](name);
  const description = described ? (incidents.description ?? text) : text;
  return { id, status, description, notifySubscribers: incidents.notifySubscribers, publicAt: at, createdAt: at };
}
