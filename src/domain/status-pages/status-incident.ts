// Incidents of status pages: what an account tells its customers, as a list of updates.
import { type IncidentSeverity, defaultIncidentRule, type IncidentRule } from './status-service.ts';

export const updateStatuses = ['INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED'] as const;
export type UpdateStatus = (typeof updateStatuses)[number];

/** An update of an incident. Instants are epoch ms. */
export interface IncidentUpdate {
  readonly id: string;
  readonly status: UpdateStatus;
  /** Markdown. */
  readonly description: string;
  readonly notifySubscribers: boolean;
  /** When visitors see it; later than now = it is scheduled. */
  readonly publicAt: number;
  readonly createdAt: number;
}

/** An incident of status pages. Instants are epoch ms. */
export interface StatusIncident {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  readonly severity: IncidentSeverity;
  readonly serviceIds: readonly string[];
  /** true = only the account sees it. */
  readonly isDraft: boolean;
  /** When a draft is published by itself; null = never. */
  readonly publishAt: number | null;
  /** When it began. */
  readonly startedAt: number;
  /** When its newest public update resolved it; null = it is open. */
  readonly resolvedAt: number | null;
  /** When visitors could first see it; null = a draft. */
  readonly publishedAt: number | null;
  /** ID of the service or check whose failure opened it; null = a person or program did. */
  readonly proposedFor: string | null;
  /** IDs of the updates that no person or program wrote. */
  readonly automaticUpdates: readonly string[];
  /** Markdown; null = none. */
  readonly postmortem: string | null;
  /** Oldest first. */
  readonly updates: readonly IncidentUpdate[];
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** Most updates of an incident, and most services. */
export const [mostUpdates, mostServicesOfIncident] = [200, 100];
/** Most characters of an incident: its updates and postmortem together. */
export const longestIncident = 50_000;
/** A start that lies this long before the incident was written, ms, makes it a backdated one. */
const backdatedMs = 300_000;

/** Characters of its updates and postmortem. */
export function lengthOf({
  updates,
  postmortem,
}: {
  readonly updates: readonly Pick<IncidentUpdate, 'description'>[];
  readonly postmortem: string | null;
}): number {
  return updates.reduce((sum, { description }) => sum + description.length, postmortem?.length ?? 0);
}

/** Updates that visitors see at `now`, oldest first. */
export function publicUpdates({ updates }: Pick<StatusIncident, 'updates'>, now: number): IncidentUpdate[] {
  return updates.filter(({ publicAt }) => publicAt <= now).sort((one, other) => one.publicAt - other.publicAt);
}

/** The status of the newest public update; INVESTIGATING if there is none. */
export function statusOf(incident: Pick<StatusIncident, 'updates'>, now: number): UpdateStatus {
  return publicUpdates(incident, now).at(-1)?.status ?? 'INVESTIGATING';
}

/** When the newest public update resolved it, epoch ms; null = it is open. */
export function resolvedAtOf(incident: Pick<StatusIncident, 'updates'>, now: number): number | null {
  const last = publicUpdates(incident, now).at(-1);
  return last?.status === 'RESOLVED' ? last.publicAt : null;
}

/** Whether time alone changes it: its draft is to be published, or a scheduled update resolves or reopens it. */
export function isToSettle(incident: StatusIncident, now: number): boolean {
  return isDraftDue(incident, now) || resolvedAtOf(incident, now) !== incident.resolvedAt;
}

/** An incident as it is at `now` (epoch ms), whatever was stored before. */
export function settledAt(incident: StatusIncident, now: number): StatusIncident {
  return isDraftDue(incident, now) ? { ...incident, isDraft: false, publishAt: null } : incident;
}

/** A draft that a failure opened is published only while the failure lasts (`proposalFor`). */
function isDraftDue({ isDraft, publishAt, proposedFor }: StatusIncident, now: number): boolean {
  return isDraft && proposedFor === null && publishAt !== null && publishAt <= now;
}

/** Whether pages say that it was entered afterwards. */
export function isBackdated({ startedAt, createdAt, proposedFor }: StatusIncident): boolean {
  return proposedFor === null && createdAt - startedAt > backdatedMs;
}

/** The incident that the failure of a check opens. */
export interface IncidentTrigger {
  readonly serviceId: string;
  readonly severity: IncidentSeverity;
  readonly name: string;
  /** First update. */
  readonly description: string;
  readonly notifySubscribers: boolean;
}

/** When the incident is published: as soon as the check fails. */
export const atOnce = { mode: 'PUBLISH', afterMinutes: 0 } as const;

/** Its rule. */
export function ruleOf({ severity, name, description, notifySubscribers }: IncidentTrigger): IncidentRule {
  return { ...defaultIncidentRule, ...atOnce, severity, name, description, notifySubscribers };
}
