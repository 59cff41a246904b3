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

/** The whole day, week or month that contains `at` (epoch ms), from a full hour of UTC to a full hour of UTC. */
export function periodAt(granularity: Granularity, at: number, zone: string): TimeSpan {
  // The hour that contains the boundary belongs to the period that starts in it.
  const from = startOf(granularity, hourOf(at) + hourMs - 1, zone);
  return { from, to: nextAfter(from, granularity, zone) };
}

/** The day, week or month before the one that starts at `to`. */
export function periodBefore(to: number, granularity: Granularity, zone: string): TimeSpan {
  return { from: startOf(granularity, to - 1, zone), to };
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

/** Start of the day, week or month that contains `at` in a time zone, rounded down to a full hour of UTC. Epoch ms. */
export function startOf(granularity: Granularity, at: number, zone: string): number {
  const { year, month, day, weekday } = dateOf(at, zone);
  if (granularity === 'month') return instantOf(year, month, 1, zone);
  return instantOf(year, month, granularity === 'week' ? day - weekday : day, zone);
}

function nextAfter(start: number, granularity: Granularity, zone: string): number {
  // From the middle of the first day, because a start that was rounded down could lie in the day before.
  const { year, month, day } = dateOf(start + dayMs / 2, zone);
  if (granularity === 'month') return instantOf(year, month + 1, 1, zone);
  return instantOf(year, month, day + (granularity === 'week' ? 7 : 1), zone);
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
  const wall = Date.UTC(year, month - 1, day);
  // Twice, because the offset depends on the exact time, which is first only approximate.
  const about = wall - offsetMs(wall, zone);
  return hourOf(wall - offsetMs(about, zone));
}
