// Maintenance windows: planned periods in which checks do not run, or run without alerts (reference §4.7).
import { instantAt, wallTimeOf } from './wall-time.ts';
import type { TimeSpan } from './calendar.ts';
import type { Sliced } from '../sliced.ts';

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
  /** Status pages announce it, if they show a service with one of its checks. */
  readonly isPublic: boolean;
  readonly skippedOccurrences: readonly SkippedOccurrence[];
  readonly createdAt: number;
  readonly updatedAt: number | null;
}

/** An occurrence that does not take place, or that was ended early. Instants are epoch ms. */
export interface SkippedOccurrence {
  /** Planned start, by which it is known. */
  readonly startsAt: number;
  /** When it was ended; null = before its start. */
  readonly endedAt: number | null;
}

/** Fields that determine the times of a window. */
export type WindowTimes = Pick<
  MaintenanceWindow,
  'startsAt' | 'endsAt' | 'repeatInterval' | 'repeatUnit' | 'repeatEndsAt' | 'timezone' | 'skippedOccurrences'
>;

/** Fields that determine the checks of a window. */
export type WindowScope = Pick<
  MaintenanceWindow,
  'pauseAllChecks' | 'tags' | 'checkIds' | 'groupIds' | 'silenceAllAlerts' | 'silenceAlertsTags'
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
 * The `index`th planned occurrence of a window, from 0, skipped or not; null = none. Repetitions start and end at the same local time all year;
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
  for (const { span } of occurrencesAfter(window, at)) if (span !== null && span.to > at) return span;
  return null;
}

/** A planned occurrence of a window, and the part of it that takes place; null = skipped. */
export interface PlannedOccurrence {
  readonly planned: TimeSpan;
  readonly span: TimeSpan | null;
}

/** The occurrences whose planned end is after `at` (epoch ms), in order, skipped ones included; may have no end. */
export function* occurrencesAfter(window: WindowTimes, at: number): Generator<PlannedOccurrence, undefined> {
  const { repeatInterval, repeatUnit, startsAt, endsAt } = window;
  const stepMs = repeatInterval === null || repeatUnit === null ? Infinity : repeatInterval * longestMs[repeatUnit];
  // Maximum distance of repetitions: the search starts before the wanted one.
  for (let index = Math.max(0, Math.floor((at - endsAt) / stepMs) - 1); ; index++) {
    const planned = occurrence(window, index);
    if (planned === null || planned.from > startsAt + farthestMs) return;
    if (planned.to > at) yield { planned, span: heldPart(window, planned) };
  }
}

/** An occurrence of one of several windows. */
export interface CalendarEntry extends PlannedOccurrence {
  readonly window: MaintenanceWindow;
}

/**
 * The first `max` occurrences of windows whose planned time overlaps `range`, by start, skipped ones included, and
 * whether these are all.
 */
export function* occurrencesIn(
  windows: readonly MaintenanceWindow[],
  range: TimeSpan,
  max: number,
): Sliced<{ readonly entries: CalendarEntry[]; readonly isComplete: boolean }> {
  const heads: {
    readonly window: MaintenanceWindow;
    readonly rest: Iterator<PlannedOccurrence, undefined>;
    at: PlannedOccurrence;
  }[] = [];
  const nextIn = (rest: Iterator<PlannedOccurrence, undefined>): PlannedOccurrence | null => {
    const { value } = rest.next();
    return value === undefined || value.planned.from >= range.to ? null : value;
  };
  for (const window of windows) {
    const rest = occurrencesAfter(window, range.from);
    const at = nextIn(rest);
    if (at !== null) heads.push({ window, rest, at });
    yield;
  }
  const entries: CalendarEntry[] = [];
  while (heads.length > 0 && entries.length < max) {
    const first = heads.reduce((one, other) => (other.at.planned.from < one.at.planned.from ? other : one));
    entries.push({ window: first.window, ...first.at });
    const at = nextIn(first.rest);
    if (at === null) heads.splice(heads.indexOf(first), 1);
    else first.at = at;
    yield;
  }
  return { entries, isComplete: heads.length === 0 };
}

function heldPart({ skippedOccurrences }: WindowTimes, planned: TimeSpan): TimeSpan | null {
  const skipped = skippedOccurrences.find(({ startsAt }) => startsAt === planned.from);
  if (skipped === undefined) return planned;
  return skipped.endedAt === null ? null : { from: planned.from, to: skipped.endedAt };
}

/** The planned occurrence that starts at `startsAt` (epoch ms); null = none starts then. */
export function occurrenceFrom(window: WindowTimes, startsAt: number): TimeSpan | null {
  for (const { planned } of occurrencesAfter(window, startsAt)) return planned.from === startsAt ? planned : null;
  return null;
}

/** Maximum number of skipped occurrences that a window stores. */
export const maxSkipped = 100;

/**
 * The skipped occurrences of a window after another one is skipped, or ended if it has started; `now` in epoch ms. If
 * there are too many, those that ended longest ago go. null = more would lie ahead than a window stores.
 */
export function withSkipped(window: WindowTimes, { from }: TimeSpan, now: number): SkippedOccurrence[] | null {
  const { skippedOccurrences: present } = window;
  if (present.some(({ startsAt }) => startsAt === from)) return [...present];
  const skipped = { startsAt: from, endedAt: from < now ? now : null };
  const all = [...present, skipped].sort((one, other) => one.startsAt - other.startsAt).slice(-maxSkipped);
  const [oldest] = present;
  const isFull = present.length === maxSkipped && oldest !== undefined;
  return isFull && (occurrenceFrom(window, oldest.startsAt)?.to ?? 0) > now ? null : all;
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

function pauses(window: WindowScope, { id, groupId, tags }: NamedCheck): boolean {
  return (
    window.pauseAllChecks ||
    window.checkIds.includes(id) ||
    (groupId !== null && window.groupIds.includes(groupId)) ||
    window.tags.some((tag) => tags.includes(tag))
  );
}

function silences({ silenceAllAlerts, silenceAlertsTags }: WindowScope, { tags }: NamedCheck): boolean {
  return silenceAllAlerts || silenceAlertsTags.some((tag) => tags.includes(tag));
}

/** What a window does to a check while it is open; null = nothing. */
export function effectOn(window: WindowScope, check: NamedCheck): 'pause' | 'silence' | null {
  return pauses(window, check) ? 'pause' : silences(window, check) ? 'silence' : null;
}

/** Effect of an account's windows on a check at a point in time (epoch ms). */
export function maintenanceAt(windows: readonly MaintenanceWindow[], check: NamedCheck, at: number): Maintenance {
  let [isPaused, isSilenced] = [false, false];
  for (const window of windowsFor(windows, check)) {
    if (isPaused && isSilenced) break;
    const isPausing = pauses(window, check);
    const isSilencing = silences(window, check);
    if ((!isPausing || isPaused) && (!isSilencing || isSilenced)) continue;
    if (occurrenceAt(window, at) === null) continue;
    isPaused ||= isPausing;
    isSilenced ||= isSilencing;
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
