// Maintenance windows: planned periods in which checks do not run, or run without alerts (reference §4.7).
import { instantAt, wallTimeOf } from './wall-time.ts';
import type { TimeSpan } from './calendar.ts';

export const repeatUnits = ['DAY', 'WEEK', 'MONTH'] as const;
export type RepeatUnit = (typeof repeatUnits)[number];

/** A planned period of maintenance, once or repeating. Instants are epoch ms. */
export interface MaintenanceWindow {
  readonly accountId: string;
  /** Numbered per account. */
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  /** Do not run checks that have, or whose group has, one of these tags. */
  readonly tags: readonly string[];
  /** Do not run these checks, or the checks of these groups. */
  readonly checkIds: readonly string[];
  readonly groupIds: readonly number[];
  /** First occurrence; the end is exclusive. */
  readonly startsAt: number;
  readonly endsAt: number;
  /** Number of units between repetitions; null = once. */
  readonly repeatInterval: number | null;
  readonly repeatUnit: RepeatUnit | null;
  /** No occurrence starts at or after it; null = forever. */
  readonly repeatEndsAt: number | null;
  /** IANA time zone in which it repeats. */
  readonly timezone: string;
  readonly pauseAllChecks: boolean;
  readonly silenceAllAlerts: boolean;
  /** Checks that have one of these tags, or whose group has, send no alerts. */
  readonly silenceAlertsTags: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** Fields that determine the times of a window. */
export type WindowTimes = Pick<
  MaintenanceWindow,
  'startsAt' | 'endsAt' | 'repeatInterval' | 'repeatUnit' | 'repeatEndsAt' | 'timezone'
>;

/** A check as windows match it; its tags include those of its group. */
export interface NamedCheck {
  readonly id: string;
  readonly groupId: number | null;
  readonly tags: readonly string[];
}

/** Effect of maintenance on a check at a point in time. */
export interface Maintenance {
  /** The check does not run. */
  readonly isPaused: boolean;
  /** Only recoveries of earlier alerts are sent. */
  readonly isSilenced: boolean;
}

export const noMaintenance: Maintenance = { isPaused: false, isSilenced: false };

const dayMs = 86_400_000;
const shortestMs: Readonly<Record<RepeatUnit, number>> = { DAY: dayMs, WEEK: 7 * dayMs, MONTH: 28 * dayMs };

/**
 * The `index`th occurrence of a window, from 0; null = none. Repetitions start and end at the same local time all year;
 * a day that a month lacks becomes its last day. A local time skipped by a clock change is shifted by the change. For a
 * repeated local time, the window starts at the first and ends at the last.
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
  // Shifting a skipped start shifts the end too; otherwise a window within that hour would be empty.
  if (wallTimeOf(from, timezone) !== begin) return { from, to: from + (end - start) };
  // Every occurrence spans the same number of days, whatever the length of the month.
  const lastDay = wallDay(begin) + wallDay(end) - wallDay(start);
  const to = instantAt(lastDay * dayMs + (end - wallDay(end) * dayMs), timezone, 'last');
  return { from, to: Math.max(from, to) };
}

/** The occurrence of a window that contains `at` (epoch ms); null = none. */
export function occurrenceAt(window: WindowTimes, at: number): TimeSpan | null {
  const last = lastAsked.get(window);
  // Called for every run with increasing times, so the previous answer is nearly always right.
  const isKnown = last !== undefined && at >= last.at && (last.span === null || at < last.span.to);
  const span = isKnown ? last.span : nextOccurrence(window, at);
  if (!isKnown) lastAsked.set(window, { at, span });
  return span !== null && span.from <= at ? span : null;
}

const lastAsked = new WeakMap<WindowTimes, { readonly at: number; readonly span: TimeSpan | null }>();

/** The first occurrence of a window that ends after `at` (epoch ms), current or future; null = none. */
export function nextOccurrence(window: WindowTimes, at: number): TimeSpan | null {
  const { repeatInterval, repeatUnit, startsAt, endsAt } = window;
  const stepMs = repeatInterval === null || repeatUnit === null ? Infinity : repeatInterval * longestMs[repeatUnit];
  // Maximum distance of repetitions: the search starts before the wanted one.
  for (let index = Math.max(0, Math.floor((at - endsAt) / stepMs) - 1); ; index++) {
    const span = occurrence(window, index);
    if (span === null || span.from > startsAt + farthestMs) return null;
    if (span.to > at) return span;
  }
}

const longestMs: Readonly<Record<RepeatUnit, number>> = { DAY: dayMs, WEEK: 7 * dayMs, MONTH: 31 * dayMs };
/** Search limit: a thousand years. */
const farthestMs = 365_250 * dayMs;

/** Maximum duration of an occurrence, so that it ends before the next one starts; ms. Infinity = does not repeat. */
export function longestOf({ repeatInterval, repeatUnit }: Pick<WindowTimes, 'repeatInterval' | 'repeatUnit'>): number {
  return repeatInterval === null || repeatUnit === null ? Infinity : repeatInterval * shortestMs[repeatUnit];
}

/** Indexes windows by their entries, so that a check is compared only with those that may match. */
interface WindowIndex {
  readonly ofAll: readonly MaintenanceWindow[];
  /** By tag, check or group, in the form of `namesOf`. */
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

/** Windows that match all checks or this one, without duplicates. */
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

/** Effect of an account's windows on a check at a point in time (epoch ms). */
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

/** The last occurrence of these windows that pauses a check and overlaps `span`; null = none. */
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

/** Days since 1970 of a local time. */
function wallDay(wall: number): number {
  return Math.floor(wall / dayMs);
}

/** Adds units to a local time. */
function laterBy(wall: number, by: number, unit: RepeatUnit): number {
  if (unit !== 'MONTH') return wall + by * (unit === 'WEEK' ? 7 : 1) * dayMs;
  const date = new Date(wall);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + by];
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  const day = Date.UTC(year, month, Math.min(date.getUTCDate(), lastDay));
  return day + (wall - wallDay(wall) * dayMs);
}
