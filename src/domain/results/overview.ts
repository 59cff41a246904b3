// The overview of an account's checks: their current states, and the order on a page.
import type { Suppressor } from '../alerts/suppression.ts';
import type { Acknowledger } from '../alerts/incident.ts';
import type { CheckStatus } from '../checks/check-state.ts';
import type { CheckType } from '../checks/check.ts';
import { nextSlot } from '../checks/schedule.ts';
import { filtered, mapped, type Sliced, sorted } from '../sliced.ts';
import type { Outcome } from './result.ts';

/** States of a check, worst first. */
export const overviewStates = ['failing', 'degraded', 'unknown', 'passing', 'paused'] as const;
export type OverviewState = (typeof overviewStates)[number];

/** Data of a check. Times are epoch ms. */
export interface OverviewCheck {
  readonly checkId: string;
  readonly name: string;
  readonly checkType: CheckType;
  readonly tags: readonly string[];
  readonly groupId: number | null;
  readonly groupName: string | null;
  readonly groupTags: readonly string[];
  /** Target, as a URL or `host:port`; null = the settings name none. */
  readonly url: string | null;
  /** Name, tags and URL in lower case, for searches. */
  readonly searchText: string;
  readonly activated: boolean;
  /** Check and group are activated. */
  readonly isActive: boolean;
  /** Check or group is muted without an end. */
  readonly isMuted: boolean;
  /** End of a temporary mute; 0 = none. */
  readonly mutedUntil: number;
  /** When a mute until recovery was set; 0 = none. */
  readonly mutedFrom: number;
  /** A channel that sends failures is subscribed to the check or its group. */
  readonly isNotifying: boolean;
  readonly frequencyMs: number;
  /** Expected time between results; for a heartbeat, period and grace. */
  readonly expectedMs: number;
  /** null = not scheduled. */
  readonly phaseMs: number | null;
  readonly createdAt: number;
  /** ID of the service of status pages whose incident its failure opens; null = none. */
  readonly incidentOf: string | null;
  readonly state: OverviewCheckState | null;
}

/** The stored state. */
export interface OverviewCheckState {
  readonly status: CheckStatus | null;
  readonly since: number | null;
  /** Slot of the newest result with a verdict. */
  readonly verdictAt: number | null;
  readonly lastOutcome: Outcome | null;
  /** Slot of the newest result. */
  readonly lastAt: number | null;
  readonly lastResponseMs: number | null;
  /** The open incident. */
  readonly incidentId: string | null;
  readonly acknowledgedAt: number | null;
  readonly acknowledgedBy: Acknowledger | null;
  readonly suppressedBy: Suppressor | null;
  /** Since when it flaps; null = it does not. */
  readonly flappingSince: number | null;
  /** When it last recovered. */
  readonly passedAt: number | null;
}

/** A check at a point in time. */
export interface OverviewEntry {
  readonly check: OverviewCheck;
  readonly state: OverviewState;
  /** null = paused. */
  readonly since: number | null;
  readonly isMuted: boolean;
  readonly isInMaintenance: boolean;
  /** Activated and not muted, but its failures notify no channel. */
  readonly isSilent: boolean;
}

/** Number of intervals without a verdict after which the state is unknown. */
const silentIntervals = 3;
/** Time after two intervals without any result when the state becomes unknown, ms; as in `judgeState`. */
const graceMs = 15 * 60_000;

/** The state of the check at `now` (epoch ms). */
export function overviewEntry(check: OverviewCheck, isInMaintenance: boolean, now: number): OverviewEntry {
  const isMuted = check.isMuted || now < check.mutedUntil || isMutedFrom(check);
  const isSilent = check.isActive && !isMuted && !check.isNotifying;
  return { check, ...stateAt(check, now), isMuted, isInMaintenance, isSilent };
}

/** Whether a mute until recovery lasts. */
function isMutedFrom({ mutedFrom, state }: OverviewCheck): boolean {
  return mutedFrom > 0 && (state?.passedAt ?? 0) <= mutedFrom;
}

function stateAt(check: OverviewCheck, now: number): Pick<OverviewEntry, 'state' | 'since'> {
  const { isActive, state, expectedMs, createdAt } = check;
  if (!isActive) return { state: 'paused', since: null };
  const { status = null, since = null, verdictAt = null, lastOutcome = null, lastAt = null } = state ?? {};
  if (status === null) return { state: 'unknown', since: createdAt };
  const knownAt = verdictAt ?? since ?? createdAt;
  const isInconclusive = lastOutcome === 'unknown' || lastOutcome === 'missed';
  const isOutdated = isInconclusive && now - knownAt > silentIntervals * expectedMs;
  const isSilent = now - Math.max(lastAt ?? 0, knownAt) > 2 * expectedMs + graceMs;
  // Known until the next verdict was due.
  if (isOutdated || isSilent) return { state: 'unknown', since: knownAt + expectedMs };
  return { state: status, since: since ?? createdAt };
}

/** Whether the check has no result yet and its first one is not overdue, so that nothing is wrong. @param now epoch ms */
export function isPending({ state, check }: Pick<OverviewEntry, 'state' | 'check'>, now: number): boolean {
  const isNew = state === 'unknown' && (check.state?.lastAt ?? null) === null;
  return isNew && now - check.createdAt < 2 * check.frequencyMs + graceMs;
}

/** The next scheduled run after `now` (epoch ms); null = none. */
export function nextRunOf({ isActive, phaseMs, frequencyMs }: OverviewCheck, now: number): number | null {
  return isActive && phaseMs !== null ? nextSlot(now + 1, frequencyMs, phaseMs) : null;
}

/** Filters; absent = all. */
export interface OverviewFilter {
  readonly checkId?: string;
  /** Part of the name, a tag or the URL, case-insensitive. */
  readonly search?: string;
  readonly states?: readonly OverviewState[];
  readonly checkType?: CheckType;
  /** All of these tags; those of the group count. */
  readonly tags?: readonly string[];
  /** null = checks without a group. */
  readonly groupId?: number | null;
  readonly muted?: boolean;
  readonly silent?: boolean;
  readonly flapping?: boolean;
}

/** Number of checks in each state. */
export interface OverviewSummary extends Record<OverviewState, number> {
  total: number;
  muted: number;
  inMaintenance: number;
  silent: number;
  flapping: number;
}

/** Whether a check flaps now. */
export function isFlapping({ state }: OverviewCheck): boolean {
  return (state?.flappingSince ?? null) !== null;
}

/** Entries that match all filters except the states. */
export function matchingEntries(
  entries: readonly OverviewEntry[],
  filter: OverviewFilter,
): Sliced<readonly OverviewEntry[]> {
  const { checkId, checkType, groupId, muted, silent, flapping, tags = [] } = filter;
  const search = filter.search?.toLowerCase() ?? '';
  return filtered(
    entries,
    ({ check, isMuted, isSilent }) =>
      (checkId === undefined || check.checkId === checkId) &&
      (checkType === undefined || check.checkType === checkType) &&
      (groupId === undefined || check.groupId === groupId) &&
      (muted === undefined || isMuted === muted) &&
      (silent === undefined || isSilent === silent) &&
      (flapping === undefined || isFlapping(check) === flapping) &&
      tags.every((tag) => check.tags.includes(tag) || check.groupTags.includes(tag)) &&
      (search === '' || check.searchText.includes(search)),
  );
}

export function* summaryOf(entries: readonly OverviewEntry[]): Sliced<OverviewSummary> {
  const summary = noEntries();
  yield* mapped(entries, (entry) => count(summary, entry));
  return summary;
}

/** A summary to count in. */
export function noEntries(): OverviewSummary {
  return {
    total: 0,
    failing: 0,
    degraded: 0,
    passing: 0,
    unknown: 0,
    paused: 0,
    muted: 0,
    inMaintenance: 0,
    silent: 0,
    flapping: 0,
  };
}

/** Counts an entry in a summary. */
export function count(
  summary: OverviewSummary,
  { check, state, isMuted, isInMaintenance, isSilent }: OverviewEntry,
): void {
  summary.total++;
  summary[state]++;
  if (isMuted) summary.muted++;
  if (isInMaintenance) summary.inMaintenance++;
  if (isSilent) summary.silent++;
  if (isFlapping(check)) summary.flapping++;
}

export const overviewSorts = ['state', 'name', 'since', 'lastRun', 'responseTime', 'availability', 'flapping'] as const;
export type OverviewSort = (typeof overviewSorts)[number];

/**
 * Sorted entries. `state` has failing checks first, and within a state the newest change first. Entries without a value
 * come last in both directions.
 * @param availability ratio of a check by its ID, if the order needs it
 */
export function* sortedEntries(
  entries: readonly OverviewEntry[],
  by: OverviewSort,
  isDescending: boolean,
  availability: ReadonlyMap<string, number>,
): Sliced<readonly OverviewEntry[]> {
  const sign = isDescending ? -1 : 1;
  if (by === 'name') return yield* sorted(entries, (one, other) => sign * byName(one, other));
  const valueOf = valuesOf[by];
  const keyed = yield* mapped(entries, (entry) => ({ entry, value: valueOf(entry, availability) }));
  const byValue = (one: (typeof keyed)[number], other: (typeof keyed)[number]): number => {
    if (one.value === other.value) return 0;
    if (one.value === null || other.value === null) return one.value === null ? 1 : -1;
    return sign * (one.value - other.value);
  };
  const newest = ({ entry }: (typeof keyed)[number]): number => entry.since ?? 0;
  const ordered = yield* sorted(
    keyed,
    (one, other) => byValue(one, other) || newest(other) - newest(one) || byName(one.entry, other.entry),
  );
  return ordered.map(({ entry }) => entry);
}

const ranks = new Map<OverviewState, number>(overviewStates.map((state, rank) => [state, rank]));

const valuesOf: Readonly<
  Record<
    Exclude<OverviewSort, 'name'>,
    (entry: OverviewEntry, availability: ReadonlyMap<string, number>) => number | null
  >
> = {
  state: ({ state }) => ranks.get(state) ?? null,
  since: ({ since }) => since,
  lastRun: ({ check }) => check.state?.lastAt ?? null,
  responseTime: ({ check }) => check.state?.lastResponseMs ?? null,
  availability: ({ check }, availability) => availability.get(check.checkId) ?? null,
  flapping: ({ check }) => check.state?.flappingSince ?? null,
};

function byName({ check: one }: OverviewEntry, { check: other }: OverviewEntry): number {
  if (one.name === other.name) return one.checkId < other.checkId ? -1 : 1;
  return one.name < other.name ? -1 : 1;
}

/** Slots of an hour by outcome. `from` is epoch ms. */
export interface OutcomeBucket extends Readonly<Record<Outcome, number>> {
  readonly from: number;
}

/** Response times in a time range, ms. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/**
 * Fraction of the known time without failure (null = nothing is known), and fraction of the time that is known; 0 to 1.
 */
export interface Availability {
  readonly ratio: number | null;
  readonly known: number;
}

/** Metrics of a check. */
export interface OverviewFigures {
  /** 24 hours, oldest first, the current hour last. */
  readonly buckets: readonly OutcomeBucket[];
  readonly sparkline: readonly (Percentiles | null)[];
  /** Response times of these 24 hours. */
  readonly responseTimes: Percentiles | null;
  readonly availability: { readonly day: Availability; readonly week: Availability; readonly month: Availability };
}

/** The newest result of a check. */
export interface NewestResult {
  readonly id: string;
  readonly outcome: Outcome;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly responseTimeMs: number | null;
  readonly location: string;
  readonly message: string | null;
  /** When a heartbeat last received a ping; null = never, or it is no heartbeat. */
  readonly pingedAt: number | null;
}

/** Deliveries of an account, each counted up to 10,000. */
export interface DeliveryCounts {
  /** Waiting for the first attempt. */
  readonly pending: number;
  /** Waiting for another attempt. */
  readonly retrying: number;
  /** Created in the last 24 hours, and nobody received them. */
  readonly exhausted24h: number;
}
