// Times in a time zone that a person chose.
import { instantAt, isZone, wallTimeOf } from '#domain/checks/wall-time.ts';

/** The zone of this browser. */
export const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A time as the text of a date field: `2026-11-29T14:05`. @param at ISO 8601 text */
export function localText(at: string, zone: string): string {
  return new Date(wallTimeOf(Date.parse(at), zone)).toISOString().slice(0, 16);
}

/** The ISO 8601 text of a date field. Anything else stays as it is, so that the server says what is right. */
export function instantText(local: string, zone: string): string {
  const wall = Date.parse(`${local}Z`);
  return Number.isNaN(wall) || !isZone(zone) ? local : new Date(instantAt(wall, zone, 'first')).toISOString();
}

const clock = new Intl.DateTimeFormat('en', { timeZone: 'UTC', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const weekday = new Intl.DateTimeFormat('en', { timeZone: 'UTC', weekday: 'short', month: 'short', day: 'numeric' });
const monthName = new Intl.DateTimeFormat('en', { timeZone: 'UTC', month: 'long', year: 'numeric' });

/** `14:05`. @param wall local time, as the epoch ms at which UTC shows the same */
export function clockOf(wall: number): string {
  return clock.format(wall);
}

/** `Sun, Nov 29`. @param wall as above */
export function weekdayOf(wall: number): string {
  return weekday.format(wall);
}

/** `November 2026`. @param wall as above */
export function monthOf(wall: number): string {
  return monthName.format(wall);
}

/** `Sun, Nov 29, 14:05 to 15:30`, with the second day if it is another one, and years other than that of `now`. All are epoch ms. */
export function spanIn(from: number, to: number, zone: string, now: number): string {
  const [start, end] = [timeIn(from, zone, now), timeIn(to, zone, now)];
  const day = start.slice(0, -clockLength);
  return `${start} to ${end.slice(0, -clockLength) === day ? end.slice(day.length) : end}`;
}

/** `Sun, Nov 29, 14:05`; `Sun, Nov 29, 2026, 14:05` in another year than `now`. */
export function timeIn(at: number, zone: string, now: number): string {
  const wall = wallTimeOf(at, zone);
  const year = new Date(wall).getUTCFullYear();
  const isThisYear = year === new Date(wallTimeOf(now, zone)).getUTCFullYear();
  return `${weekdayOf(wall)}, ${isThisYear ? '' : `${year}, `}${clockOf(wall)}`;
}

const clockLength = '14:05'.length;
