// Uptime Kuma: a maintenance to maintenance windows.
import type { FileResource } from '#contract/projects/resource-file.ts';
import { instantAt, isZone } from '#domain/checks/wall-time.ts';
import { nameOf } from '../check-parts.ts';
import type { Draft } from '../imported.ts';
import { type Foreign, numberOf, textOf } from '../values.ts';

interface Context {
  /** IDs of the monitors and groups that it covers. */
  readonly members: readonly string[];
  readonly checks: ReadonlyMap<string, string>;
  readonly groups: ReadonlyMap<string, string>;
  /** Of the server, if it has none of its own. */
  readonly timezone: string;
  /** Epoch ms. */
  readonly now: number;
}

const dayMs = 86_400_000;

/** Adds the windows of a maintenance, or a row that says why there are none. */
export function addMaintenance(draft: Draft, row: Foreign, context: Context): void {
  const id = textOf(row['id']);
  const strategy = textOf(row['strategy']);
  const source = { from: nameOf(textOf(row['title']), `Maintenance ${id}`), kind: `maintenance, ${strategy}` };
  const stored = textOf(row['timezone']);
  const timezone = stored === '' || stored === 'SAME_AS_SERVER' ? context.timezone : stored;
  const members = membersOf(context);
  const refuse = (why: string): void => draft.skip(source, why);
  if (row['active'] === 0) return refuse('it is switched off');
  if (members === null) return refuse('none of its monitors is carried over');
  const base = { name: source.from, timezone, ...members };
  if (!isZone(timezone)) return refuse(`the time zone ${timezone.slice(0, 50)} is not known`);
  const [startsAt, endsAt] = [
    zonedTime(textOf(row['start_date']), timezone),
    zonedTime(textOf(row['end_date']), timezone),
  ];
  if (strategy === 'single') {
    if (startsAt === null || endsAt === null || endsAt <= startsAt) return refuse('its dates cannot be read');
    if (endsAt <= context.now) return refuse('it has ended');
    draft.add('maintenanceWindows', `maintenance-${id}`, { ...base, ...span(startsAt, endsAt) }, source);
    return undefined;
  }
  const times = timesOf(row);
  if (times === null || !['recurring-interval', 'recurring-weekday'].includes(strategy)) {
    return refuse(`the strategy ${strategy} has no counterpart: create a window that repeats`);
  }
  if (endsAt !== null && endsAt <= context.now) return refuse('it has ended');
  const first = Math.max(startsAt ?? context.now, context.now - dayMs);
  for (const [index, day] of daysOf(row, strategy, first, timezone).entries()) {
    const begin = zonedTime(`${day} ${times.start}`, timezone);
    if (begin === null) return refuse('its times cannot be read');
    const repeat =
      strategy === 'recurring-weekday'
        ? { repeatUnit: 'WEEK', repeatInterval: 1 }
        : { repeatUnit: 'DAY', repeatInterval: Math.min(365, Math.max(1, numberOf(row['interval_day']) ?? 1)) };
    const window: FileResource = {
      ...base,
      ...span(begin, begin + times.durationMs),
      ...repeat,
      ...(endsAt !== null && { repeatEndsAt: new Date(endsAt).toISOString() }),
    };
    const notes =
      strategy === 'recurring-weekday' ? ['a window for each day of the week'] : ['counted from its first day'];
    draft.add('maintenanceWindows', `maintenance-${id}-${index + 1}`, window, source, notes);
  }
  return undefined;
}

function span(from: number, to: number): FileResource {
  return { startsAt: new Date(from).toISOString(), endsAt: new Date(to).toISOString() };
}

function membersOf({ members, checks, groups }: Context): FileResource | null {
  const named = (ids: ReadonlyMap<string, string>): readonly string[] => members.flatMap((id) => ids.get(id) ?? []);
  const [ownChecks, ownGroups] = [named(checks), named(groups)];
  if (ownChecks.length + ownGroups.length === 0) return null;
  return {
    ...(ownChecks.length > 0 && { checks: ownChecks }),
    ...(ownGroups.length > 0 && { groups: ownGroups }),
  };
}

/** Start as `HH:MM` and duration; an end before the start is on the next day. */
function timesOf(row: Foreign): { readonly start: string; readonly durationMs: number } | null {
  const minutes = (value: unknown): number | null => {
    const [, hour = '', minute = ''] = /^(\d{1,2}):(\d{2})/.exec(textOf(value)) ?? [];
    return hour === '' ? null : Number(hour) * 60 + Number(minute);
  };
  const [start, end] = [minutes(row['start_time']), minutes(row['end_time'])];
  if (start === null || end === null || start === end) return null;
  const text = (value: number): string => String(value).padStart(2, '0');
  return {
    start: `${text(Math.floor(start / 60))}:${text(start % 60)}`,
    durationMs: ((end - start + 1440) % 1440) * 60_000,
  };
}

/** First days of the windows as `YYYY-MM-DD`: one, or one for each weekday (0 = Sunday). */
function daysOf(row: Foreign, strategy: string, first: number, timezone: string): readonly string[] {
  const dayAt = (at: number): string =>
    new Intl.DateTimeFormat('en-CA', { timeZone: timezone, dateStyle: 'short' }).format(at);
  if (strategy === 'recurring-interval') return [dayAt(first)];
  const wanted = new Set([...textOf(row['weekdays']).matchAll(/\d/g)].map(([digit]) => Number(digit) % 7));
  const days = Array.from({ length: 7 }, (_, index) => dayAt(first + index * dayMs));
  return days.filter((day) => wanted.has(new Date(`${day}T00:00:00Z`).getUTCDay()));
}

/** The instant of a local time such as `2026-03-01 22:30`, with seconds or without; null = it is none. */
function zonedTime(local: string, timezone: string): number | null {
  const [, day = '', time = ''] = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}(?::\d{2})?)/.exec(local) ?? [];
  const wall = Date.parse(`${day}T${time}Z`);
  return Number.isNaN(wall) || !isZone(timezone) ? null : instantAt(wall, timezone, 'first');
}
