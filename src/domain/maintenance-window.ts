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

/** Windows by what they name: a check is compared with those that may cover it, not with all of its account. */
interface WindowIndex {
  readonly ofAll: readonly MaintenanceWindow[];
  readonly byTag: ReadonlyMap<string, readonly MaintenanceWindow[]>;
}

const indexes = new WeakMap<readonly MaintenanceWindow[], WindowIndex>();

function indexOf(windows: readonly MaintenanceWindow[]): WindowIndex {
  const known = indexes.get(windows);
  if (known !== undefined) return known;
  const byTag = new Map<string, MaintenanceWindow[]>();
  for (const window of windows) {
    for (const tag of new Set([...window.tags, ...window.silenceAlertsTags])) {
      const tagged = byTag.get(tag);
      if (tagged === undefined) byTag.set(tag, [window]);
      else tagged.push(window);
    }
  }
  const index = { ofAll: windows.filter((one) => one.pauseAllChecks || one.silenceAllAlerts), byTag };
  indexes.set(windows, index);
  return index;
}

/** The windows that cover all checks, or one of these tags; each once. */
function windowsFor(windows: readonly MaintenanceWindow[], tags: readonly string[]): ReadonlySet<MaintenanceWindow> {
  const { ofAll, byTag } = indexOf(windows);
  return new Set([...ofAll, ...tags.flatMap((tag) => byTag.get(tag) ?? [])]);
}

/** What the windows of an account mean for a check with these tags, its own and its group's, at an instant (epoch ms). */
export function maintenanceAt(windows: readonly MaintenanceWindow[], tags: readonly string[], at: number): Maintenance {
  let [isPaused, isSilenced] = [false, false];
  for (const window of windowsFor(windows, tags)) {
    if (isPaused && isSilenced) break;
    const pauses = window.pauseAllChecks || window.tags.some((tag) => tags.includes(tag));
    const silences = window.silenceAllAlerts || window.silenceAlertsTags.some((tag) => tags.includes(tag));
    if ((!pauses || isPaused) && (!silences || isSilenced)) continue;
    if (occurrenceAt(window, at) === null) continue;
    isPaused ||= pauses;
    isSilenced ||= silences;
  }
  return isPaused || isSilenced ? { isPaused, isSilenced: isSilenced || isPaused } : noMaintenance;
}

/** The last time that these windows do not run a check with these tags in, and that a part of `span` lies in; null = none. */
export function lastPause(
  windows: readonly MaintenanceWindow[],
  tags: readonly string[],
  span: TimeSpan,
): TimeSpan | null {
  let last: TimeSpan | null = null;
  for (const window of windowsFor(windows, tags)) {
    if (!window.pauseAllChecks && !window.tags.some((tag) => tags.includes(tag))) continue;
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
