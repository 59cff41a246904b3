// How failures of services become incidents of status pages: drafts, or incidents that are published by themselves.
import type { ServiceState } from './service-state.ts';
import type { IncidentUpdate, StatusIncident, UpdateStatus } from './status-incident.ts';
import type { PageLanguage } from './status-page.ts';
import type { StatusService } from './status-service.ts';

/** A service and what its checks say of it, or one check whose failure opens an incident of it. Instants are epoch ms. */
export interface FollowedService {
  /** With the rule of the check, if it is one. */
  readonly service: StatusService;
  /** null = the service itself. */
  readonly checkId: string | null;
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

/** Most open incidents of a service that checks opened. */
export const mostOfChecks = 20;

const minuteMs = 60_000;

/**
 * What a service needs at `now` (epoch ms). Incidents that people updated, or opened, are theirs.
 * @param incidents those that are open, and those that were resolved in the last ten minutes
 */
export function proposalFor(
  followed: FollowedService,
  incidents: readonly StatusIncident[],
  now: number,
): Proposal | null {
  const { service, state, since } = followed;
  const { mode, afterMinutes } = service.incidents;
  const own = incidents.filter(({ proposedFor }) => proposedFor === proposerOf(followed)).filter(isAutomatic);
  const open = own.find(({ resolvedAt }) => resolvedAt === null);
  if (state === 'outage') {
    if (open !== undefined) {
      const isDue = open.isDraft && open.publishAt !== null && open.publishAt <= now;
      return isDue ? { kind: 'publish', incident: open } : null;
    }
    if (mode === 'NEVER' || isTaken(followed, incidents)) return null;
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

/** ID of what fails. */
export function proposerOf({ service, checkId }: Pick<FollowedService, 'service' | 'checkId'>): string {
  return checkId ?? service.id;
}

/**
 * Whether open incidents leave no room for another one: for a service, any incident of it; for a check, its own, one of
 * the service that people published, or many that checks opened.
 */
function isTaken({ service, checkId }: FollowedService, incidents: readonly StatusIncident[]): boolean {
  const open = incidents.filter(({ resolvedAt }) => resolvedAt === null);
  const about = open.filter(({ serviceIds }) => serviceIds.includes(service.id));
  if (checkId === null) return about.length > 0;
  const ofChecks = about.filter(({ proposedFor }) => proposedFor !== null && proposedFor !== service.id);
  return (
    ofChecks.length >= mostOfChecks ||
    open.some(({ proposedFor }) => proposedFor === checkId) ||
    about.some(({ proposedFor, isDraft }) => proposedFor === null && !isDraft)
  );
}

/** Whether no person or program wrote an update. */
function isAutomatic({ updates, automaticUpdates }: StatusIncident): boolean {
  return updates.every(({ id }) => automaticUpdates.includes(id));
}

const texts: Readonly<Record<PageLanguage, Readonly<Record<'open' | 'resolve' | 'reopen', (name: string) => string>>>> =
  {
    en: {
      open: (name) => `${name} is currently not working as expected. We are looking into it.`,
      resolve: (name) => `${name} works again.`,
      reopen: (name) => `The problem with ${name} has returned. We are looking into it.`,
    },
    de: {
      open: (name) => `${name} funktioniert derzeit nicht wie erwartet. Wir untersuchen die Ursache.`,
      resolve: (name) => `${name} funktioniert wieder.`,
      reopen: (name) => `Das Problem mit ${name} ist wieder aufgetreten. Wir untersuchen die Ursache.`,
    },
  };

/** Other checks of the service may still fail. */
const textsOfChecks: Readonly<Record<PageLanguage, Readonly<Record<'resolve' | 'reopen', string>>>> = {
  en: { resolve: 'The problem is solved.', reopen: 'The problem has returned. We are looking into it.' },
  de: {
    resolve: 'Das Problem ist behoben.',
    reopen: 'Das Problem ist wieder aufgetreten. Wir untersuchen die Ursache.',
  },
};

/** The update that a proposal adds. No text comes from a target. @param at epoch ms */
export function automaticUpdate(
  kind: 'open' | 'resolve' | 'reopen',
  { service, checkId, language }: Pick<FollowedService, 'service' | 'checkId' | 'language'>,
  id: string,
  at: number,
): IncidentUpdate {
  const { name, incidents } = service;
  const status: UpdateStatus = kind === 'resolve' ? 'RESOLVED' : 'INVESTIGATING';
  const own = { open: incidents.description, resolve: incidents.resolution, reopen: null }[kind];
  const ofCheck = checkId === null || kind === 'open' ? null : textsOfChecks[language][kind];
  const description = own ?? ofCheck ?? texts[language][kind](name);
  return { id, status, description, notifySubscribers: incidents.notifySubscribers, publicAt: at, createdAt: at };
}
