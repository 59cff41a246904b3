// Maintenance windows: planned times in which checks are not run, or run and tell nobody (reference §4.7).
import { instantAt, wallTimeOf } from './wall-time.ts';
import type { TimeSpan } from './calendar.ts';

export const repeatUnits = ['DAY', 'WEEK', 'MONTH'] as const;
export type RepeatUnit = (typeof repeatUnits)[number];

/** A planned time, once or again and again. Instants are epoch ms. */
export interface MaintenanceWindow {
  readonly accountId: string;
  /** Counts up per account. */
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  /** Checks that have one of these tags, or whose group has, are not run. */
  readonly tags: readonly string[];
  /** These checks are not run, nor are those of these groups. */
  readonly checkIds: readonly string[];
  readonly groupIds: readonly number[];
  /** Of the first one; the end is not part of it. */
  readonly startsAt: number;
  readonly endsAt: number;
  /** Every so many units; null = once. */
  readonly repeatInterval: number | null;
  readonly repeatUnit: RepeatUnit | null;
  /** None begins at or after it; null = for ever. */
  readonly repeatEndsAt: number | null;
  /** By whose clocks it repeats: an IANA name. */
  readonly timezone: string;
  readonly pauseAllChecks: boolean;
  readonly silenceAllAlerts: boolean;
  /** Checks that have one of these tags, or whose group has, tell nobody. */
  readonly silenceAlertsTags: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** What makes the times of a window. */
export type WindowTimes = Pick<
  MaintenanceWindow,
  'startsAt' | 'endsAt' | 'repeatInterval' | 'repeatUnit' | 'repeatEndsAt' | 'timezone'
>;

/** A check as windows name it; its tags include those of its group. */
export interface NamedCheck {
  readonly id: string;
  readonly groupId: number | null;
  readonly tags: readonly string[];
}

/** What maintenance means for a check at an instant. */
export interface Maintenance {
  /** Its slots are not run. */
  readonly isPaused: boolean;
  /** Nothing is told of but the end of what was told before. */
  readonly isSilenced: boolean;
}

export const noMaintenance: Maintenance = { isPaused: false, isSilenced: false };

const dayMs = 86_400_000;
const shortestMs: Readonly<Record<RepeatUnit, number>> = { DAY: dayMs, WEEK: 7 * dayMs, MONTH: 28 * dayMs };

/**
 * The `index`th time of a window, from 0; null = there is none. A repeated one begins and ends at the same time of the day by
 * the clocks of its zone, in summer and in winter; on the last day of a month that is too short. A time of the day that is
 * left out when clocks are set forward is as much later; of one that comes twice it begins at the first and ends at the last.
 */
export function occurrence(window: WindowTimes, index: number): TimeSpan | null {
  const { startsAt, endsAt, repeatInterval, repeatUnit, repeatEndsAt, timezone } = window;
  if (index === 0) return { from: startsAt, to: endsAt };
  if (repeatInterval === null || repeatUnit === null || index < 0) return null;
  const by = index * repeatInterval;
  const [start, end] = [wallTimeOf(startsAt, timezone), wallTimeOf(endsAt, timezone)];
  const begin = laterBy(start, by, repeatUnit);
  const from = instantAt(begin, timezone, 'first');
  if (repeatEndsAt !== null && from >= repeatEndsAt) return null;
  // A start that is left out is later, and the end with it: else a window of that hour would be none.
  if (wallTimeOf(from, timezone) !== begin) return { from, to: from + (end - start) };
  // The days between its start and its end are the same each time, however long the month is.
  const lastDay = wallDay(begin) + wallDay(end) - wallDay(start);
  const to = instantAt(lastDay * dayMs + (end - wallDay(end) * dayMs), timezone, 'last');
  return { from, to: Math.max(from, to) };
}

/** The time of a window that `at` (epoch ms) lies in; null = none does. */
export function occurrenceAt(window: WindowTimes, at: number): TimeSpan | null {
  const last = lastAsked.get(window);
  // Every run asks, and time goes on: nearly always it is the answer before.
  const isKnown = last !== undefined && at >= last.at && (last.span === null || at < last.span.to);
  const span = isKnown ? last.span : nextOccurrence(window, at);
  if (!isKnown) lastAsked.set(window, { at, span });
  return span !== null && span.from <= at ? span : null;
}

const lastAsked = new WeakMap<WindowTimes, { readonly at: number; readonly span: TimeSpan | null }>();

/** The first time of a window that ends after `at` (epoch ms), under way or to come; null = there is none any more. */
export function nextOccurrence(window: WindowTimes, at: number): TimeSpan | null {
  const { repeatInterval, repeatUnit, startsAt, endsAt } = window;
  const stepMs = repeatInterval === null || repeatUnit === null ? Infinity : repeatInterval * longestMs[repeatUnit];
  // Repeats are never further apart than that: the search begins before the one that is looked for.
  for (let index = Math.max(0, Math.floor((at - endsAt) / stepMs) - 1); ; index++) {
    const span = occurrence(window, index);
    if (span === null || span.from > startsAt + farthestMs) return null;
    if (span.to > at) return span;
  }
}

const longestMs: Readonly<Record<RepeatUnit, number>> = { DAY: dayMs, WEEK: 7 * dayMs, MONTH: 31 * dayMs };
/** Nobody plans further ahead: a thousand years. */
const farthestMs = 365_250 * dayMs;

/** How long one time of a window may last, so that it has ended when the next begins; ms. Infinity = it is not repeated. */
export function longestOf({ repeatInterval, repeatUnit }: Pick<WindowTimes, 'repeatInterval' | 'repeatUnit'>): number {
  return repeatInterval === null || repeatUnit === null ? Infinity : repeatInterval * shortestMs[repeatUnit];
}

/** Windows by what they name, so that a check is compared only with those that may cover it. */
interface WindowIndex {
  readonly ofAll: readonly MaintenanceWindow[];
  /** By tag, check or group, as `namesOf` writes them. */
  readonly byName: ReadonlyMap<string, readonly MaintenanceWindow[]>;
}

const indexes = new WeakMap<readonly MaintenanceWindow[], WindowIndex>();

function indexOf(windows: readonly MaintenanceWindow[]): WindowIndex {
  const known = indexes.get(windows);
  if (known !== undefined) return known;
  const byName = new Map<string, MaintenanceWindow[]>();
  for (const window of windows) {
    const tags = [...window.tags, ...window.silenceAlertsTags];
    for (const name of new Set(namesOf(tags, window.checkIds, window.groupIds))) {
      const named = byName.get(name);
      if (named === undefined) byName.set(name, [window]);
      else named.push(window);
    }
  }
  const index = { ofAll: windows.filter((one) => one.pauseAllChecks || one.silenceAllAlerts), byName };
  indexes.set(windows, index);
  return index;
}

function namesOf(tags: readonly string[], checkIds: readonly string[], groupIds: readonly number[]): string[] {
  return [
    ...tags.map((tag) => `tag ${tag}`),
    ...checkIds.map((id) => `check ${id}`),
    ...groupIds.map((id) => `group ${id}`),
  ];
}

/** The windows that cover all checks, or name this one; each once. */
function windowsFor(windows: readonly MaintenanceWindow[], check: NamedCheck): ReadonlySet<MaintenanceWindow> {
  const { ofAll, byName } = indexOf(windows);
  const names = namesOf(check.tags, [check.id], check.groupId === null ? [] : [check.groupId]);
  return new Set([...ofAll, ...names.flatMap((name) => byName.get(name) ?? [])]);
}

function pauses(window: MaintenanceWindow, { id, groupId, tags }: NamedCheck): boolean {
  return (
    window.pauseAllChecks ||
    window.checkIds.includes(id) ||
    (groupId !== null && window.groupIds.includes(groupId)) ||
    window.tags.some((tag) => tags.includes(tag))
  );
}

/** The effect of an account's windows on a check at an instant (epoch ms). */
export function maintenanceAt(windows: readonly MaintenanceWindow[], check: NamedCheck, at: number): Maintenance {
  let [isPaused, isSilenced] = [false, false];
  for (const window of windowsFor(windows, check)) {
    if (isPaused && isSilenced) break;
    const isPausing = pauses(window, check);
    const silences = window.silenceAllAlerts || window.silenceAlertsTags.some((tag) => check.tags.includes(tag));
    if ((!isPausing || isPaused) && (!silences || isSilenced)) continue;
    if (occurrenceAt(window, at) === null) continue;
    isPaused ||= isPausing;
    isSilenced ||= silences;
  }
  return isPaused || isSilenced ? { isPaused, isSilenced: isSilenced || isPaused } : noMaintenance;
}

/** The last time of these windows that pauses a check and overlaps `span`; null = none. */
export function lastPause(windows: readonly MaintenanceWindow[], check: NamedCheck, span: TimeSpan): TimeSpan | null {
  let last: TimeSpan | null = null;
  for (const window of windowsFor(windows, check)) {
    if (!pauses(window, check)) continue;
    let one = nextOccurrence(window, span.from);
    while (one !== null && one.from < span.to) {
      if (last === null || one.to > last.to) last = one;
      one = nextOccurrence(window, one.to);
    }
  }
  return last;
}

/** Days since 1970 of a time as clocks show it. */
function wallDay(wall: number): number {
  return Math.floor(wall / dayMs);
}

/** A time as clocks show it, some units later. */
function laterBy(wall: number, by: number, unit: RepeatUnit): number {
  if (unit !== 'MONTH') return wall + by * (unit === 'WEEK' ? 7 : 1) * dayMs;
  const date = new Date(wall);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + by];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay));
  return day + (wall - wallDay(wall) * dayMs);
}
