// A month of a calendar in a time zone: its weeks, and the parts of occurrences on each day.
import { instantAt, wallTimeOf } from '#domain/checks/wall-time.ts';
import { clockOf } from '../../ui/text/zone.ts';
import type { Occurrence } from './occurrence.tsx';

const dayMs = 86_400_000;

/** Days are numbers: days since 1970 of the local time. */
export interface CalendarMonth {
  /** Local time of its first day, as the epoch ms at which UTC shows the same. */
  readonly firstDay: number;
  /** Weeks from Monday to Sunday that contain a day of the month. */
  readonly weeks: readonly (readonly number[])[];
  readonly isInMonth: (day: number) => boolean;
  /** The local day of an instant (epoch ms). */
  readonly dayOf: (at: number) => number;
  /** The range of the weeks, ISO 8601. */
  readonly query: { readonly from: string; readonly to: string };
}

/** `2026-11` of an instant (epoch ms) in a zone. */
export function monthText(at: number, zone: string): string {
  return new Date(wallTimeOf(at, zone)).toISOString().slice(0, 7);
}

/** The month `by` months later: `2026-12` of `2026-11` and 1. */
export function shifted(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

/** @param month such as `2026-11` */
export function calendarMonth(month: string, zone: string): CalendarMonth {
  const firstDay = Date.parse(`${month}-01T00:00Z`);
  const [first, last] = [firstDay / dayMs, Date.parse(`${shifted(month, 1)}-01T00:00Z`) / dayMs - 1];
  // 1970 began on a Thursday.
  const monday = first - ((first + 3) % 7);
  const weeks = Array.from({ length: Math.floor((last - monday) / 7) + 1 }, (_, week) =>
    Array.from({ length: 7 }, (__, day) => monday + week * 7 + day),
  );
  const at = (day: number): string => new Date(instantAt(day * dayMs, zone, 'first')).toISOString();
  return {
    firstDay,
    weeks,
    isInMonth: (day) => day >= first && day <= last,
    dayOf: (instant) => Math.floor(wallTimeOf(instant, zone) / dayMs),
    query: { from: at(monday), to: at(monday + weeks.length * 7) },
  };
}

/** An occurrence on one of its days. */
export interface DayPart {
  readonly occurrence: Occurrence;
  /** `22:00` on its first day, `until 02:00` on its last, `all day` between. */
  readonly when: string;
}

/** The occurrences of each day of the weeks, by start. */
export function partsByDay(
  occurrences: readonly Occurrence[],
  { weeks, dayOf }: CalendarMonth,
  zone: string,
): ReadonlyMap<number, readonly DayPart[]> {
  const days = new Map<number, DayPart[]>(weeks.flat().map((day) => [day, []]));
  for (const occurrence of occurrences) {
    const [from, to] = [Date.parse(occurrence.startsAt), Date.parse(occurrence.endsAt)];
    // The end is exclusive.
    const [first, last] = [dayOf(from), dayOf(Math.max(from, to - 1))];
    for (const [day, parts] of days) {
      if (day < first || day > last) continue;
      const end = wallTimeOf(to, zone);
      const lasting = day === last && end % dayMs !== 0 ? `until ${clockOf(end)}` : 'all day';
      parts.push({ occurrence, when: day === first ? clockOf(wallTimeOf(from, zone)) : lasting });
    }
  }
  return days;
}
