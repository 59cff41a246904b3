// Calendar days, weeks and months in a time zone, and the named ranges of reports.
import { dayMs, hourMs, hourOf } from '../results/roll-up.ts';
import { offsetMs } from './wall-time.ts';

/** Epoch ms, `to` exclusive. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

export const granularities = ['day', 'week', 'month'] as const;
export type Granularity = (typeof granularities)[number];
/** Calendar periods. Quarters start in January, April, July and October. */
export type CalendarPeriod = Granularity | 'quarter' | 'year';

/** Ranges by name. Weeks start on Monday. */
export const quickRanges = [
  'last24Hours',
  'last7Days',
  'last30Days',
  'thisWeek',
  'thisMonth',
  'lastWeek',
  'lastMonth',
] as const;
export type QuickRange = (typeof quickRanges)[number];

/** A named range at `now` (epoch ms), in an IANA time zone. */
export function spanOf(range: QuickRange, now: number, zone = 'UTC'): TimeSpan {
  const days = lastDays[range];
  if (days !== undefined) return { from: now - days * dayMs, to: now };
  const start = startOf(range.endsWith('Week') ? 'week' : 'month', now, zone);
  if (range.startsWith('this')) return { from: start, to: now };
  return periodBefore(start, range === 'lastWeek' ? 'week' : 'month', zone);
}

const lastDays: Partial<Record<QuickRange, number>> = { last24Hours: 1, last7Days: 7, last30Days: 30 };

/** The whole period that contains `at` (epoch ms), from a full hour of UTC to a full hour of UTC. */
export function periodAt(period: CalendarPeriod, at: number, zone: string): TimeSpan {
  // The hour that contains the boundary belongs to the period that starts in it.
  const from = startOf(period, hourOf(at) + hourMs - 1, zone);
  return { from, to: nextAfter(from, period, zone) };
}

/** The period before the one that starts at `to`. */
export function periodBefore(to: number, period: CalendarPeriod, zone: string): TimeSpan {
  return { from: startOf(period, to - 1, zone), to };
}

/** Calendar days, both inclusive, as `2026-01-31`. */
export interface DayRange {
  readonly fromOn: string;
  readonly toOn: string;
}

/** The time of these days in a zone, from a full hour of UTC to a full hour of UTC. */
export function spanOfDays({ fromOn, toOn }: DayRange, zone: string): TimeSpan {
  return { from: instantOfWall(Date.parse(fromOn), zone), to: instantOfWall(Date.parse(toOn) + dayMs, zone) };
}

/** As many days, right before. */
export function daysBefore({ fromOn, toOn }: DayRange): DayRange {
  const first = Date.parse(fromOn);
  const dateOfDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
  return { fromOn: dateOfDay(2 * first - dayMs - Date.parse(toOn)), toOn: dateOfDay(first - dayMs) };
}

/** The days, weeks or months that a range overlaps, the first and the last cut to it. */
export function periodsOf({ from, to }: TimeSpan, granularity: Granularity, zone: string): TimeSpan[] {
  const periods: TimeSpan[] = [];
  for (let start = from; start < to;) {
    // The hour that contains the boundary belongs to the period that starts in it.
    const begun = startOf(granularity, start + hourMs - 1, zone);
    const end = Math.min(to, begun > start ? begun : nextAfter(begun, granularity, zone));
    periods.push({ from: start, to: end });
    start = end;
  }
  return periods;
}

/** Start of the period that contains `at` in a time zone, rounded down to a full hour of UTC. Epoch ms. */
export function startOf(period: CalendarPeriod, at: number, zone: string): number {
  const { year, month, day, weekday } = dateOf(at, zone);
  if (period === 'day' || period === 'week')
    return instantOf(year, month, period === 'week' ? day - weekday : day, zone);
  return instantOf(year, month - ((month - 1) % monthsOf[period]), 1, zone);
}

const monthsOf = { month: 1, quarter: 3, year: 12 } as const;

function nextAfter(start: number, period: CalendarPeriod, zone: string): number {
  // From the middle of the first day, because a start that was rounded down could lie in the day before.
  const { year, month, day } = dateOf(start + dayMs / 2, zone);
  if (period === 'day' || period === 'week') return instantOf(year, month, day + (period === 'week' ? 7 : 1), zone);
  return instantOf(year, month + monthsOf[period], 1, zone);
}

/** Weekdays from 0 = Monday; months from 1. */
function dateOf(at: number, zone: string) {
  const local = new Date(at + offsetMs(at, zone));
  return {
    year: local.getUTCFullYear(),
    month: local.getUTCMonth() + 1,
    day: local.getUTCDate(),
    weekday: (local.getUTCDay() + 6) % 7,
  };
}

function instantOf(year: number, month: number, day: number, zone: string): number {
  return instantOfWall(Date.UTC(year, month - 1, day), zone);
}

/** @param wall local midnight, as the epoch ms at which UTC shows the same */
function instantOfWall(wall: number, zone: string): number {
  // Twice, because the offset depends on the exact time, which is first only approximate.
  const about = wall - offsetMs(wall, zone);
  return hourOf(wall - offsetMs(about, zone));
}
