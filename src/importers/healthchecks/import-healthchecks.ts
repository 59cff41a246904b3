// Healthchecks: the checks of its API (GET /api/v3/checks/) to a resource file.
import { descriptionOf, nameOf, spanText, tagsOf } from '../check-parts.ts';
import { createDraft, type Draft, type Imported, ImportError } from '../imported.ts';
import { type Foreign, isForeign, numberOf, objectsOf, parseJson, textOf } from '../values.ts';

const ranges = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const dayMs = 86_400_000;
/** A leap year and three others, so that each date occurs. */
const start = Date.UTC(2024, 0, 1);
const days = 366 + 3 * 365;

/** The longest gap in seconds, in a time zone without clock changes; null = the expression cannot be read. */
export function longestGap(expression: string): number | null {
  const fields = expression.trim().toLowerCase().split(/\s+/);
  if (fields.length !== 5) return null;
  const sets = fields.map((field, index) => valuesOf(named(field, index), ranges[index] ?? [0, 0]));
  const [minutes, hours, dates, monthSet, weekdaySet] = sets;
  if (!minutes || !hours || !dates || !monthSet || !weekdaySet) return null;
  const times = [...hours]
    .sort(byNumber)
    .flatMap((hour) => [...minutes].sort(byNumber).map((minute) => hour * 60 + minute));
  const [isEveryDate, isEveryWeekday] = [fields[2] === '*', fields[4] === '*'];
  let last: number | null = null;
  let longest = 0;
  for (let index = 0; index < days; index += 1) {
    const day = new Date(start + index * dayMs);
    const isDate = dates.has(day.getUTCDate());
    const isWeekday = weekdaySet.has(day.getUTCDay()) || (day.getUTCDay() === 0 && weekdaySet.has(7));
    // As cron does: if both are limited, either is enough.
    const fits = isEveryDate || isEveryWeekday ? isDate && isWeekday : isDate || isWeekday;
    if (!fits || !monthSet.has(day.getUTCMonth() + 1)) continue;
    for (const time of times) {
      const at = index * 1440 + time;
      if (last !== null) longest = Math.max(longest, at - last);
      last = at;
    }
  }
  return longest === 0 ? null : Math.min(longest * 60, 365 * 86_400);
}

const byNumber = (a: number, b: number): number => a - b;

/** Names of months and weekdays as numbers. */
function named(field: string, index: number): string {
  const names = index === 3 ? months : index === 4 ? weekdays : [];
  return names.reduce(
    (text, name, number) =>
      text.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), String(index === 3 ? number + 1 : number)),
    field,
  );
}

/** The values of a field such as `1-5`, `*\/10` or `0,30`; null = it cannot be read. */
function valuesOf(field: string, [low, high]: readonly [number, number]): Set<number> | null {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [, range = '', from = '', to = '', step = ''] =
      /^(\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
    if (range === '' || step === '0') return null;
    const first = range === '*' ? low : Number(from);
    const last = range === '*' || (to === '' && step !== '') ? high : Number(to || from);
    if (first < low || last > high || first > last) return null;
    for (let value = first; value <= last; value += Number(step || 1)) values.add(value);
  }
  return values;
}

/** @throws {ImportError} if it is not a response of the API */
export function importHealthchecks(text: string): Imported {
  const response = parseJson(text);
  if (!isForeign(response) || !Array.isArray(response['checks'])) {
    throw new ImportError('the file has no list "checks": save the response of GET /api/v3/checks/');
  }
  const draft = createDraft('healthchecks');
  for (const check of objectsOf(response['checks'])) addCheck(draft, check);
  return draft.finish();
}

function addCheck(draft: Draft, check: Foreign): void {
  const id = idOf(check);
  const isCron = textOf(check['schedule']) !== '';
  const source = { from: nameOf(textOf(check['name']), id), kind: isCron ? 'schedule' : 'period' };
  const notes = ['has a new ping URL: point the job to it'];
  const period = isCron ? periodOfSchedule(check, notes) : numberOf(check['timeout']);
  if (period === null || period <= 0) {
    draft.skip(
      source,
      isCron ? `the schedule ${textOf(check['schedule']).slice(0, 60)} cannot be read` : 'it has no period',
    );
    return;
  }
  if (textOf(check['channels']) !== '')
    notes.push('its integrations are left out: the API does not contain their settings');
  if (textOf(check['methods']) === 'POST') notes.push('accepts GET and HEAD as well');
  for (const field of ['filter_subject', 'filter_body', 'filter_http_body', 'filter_default_fail']) {
    if (check[field] === true) notes.push(`${field} is left out`);
  }
  const description = descriptionOf(textOf(check['desc']), notes);
  const tags = tagsOf(textOf(check['tags']).split(/\s+/));
  const resource = {
    checkType: 'HEARTBEAT',
    name: source.from,
    ...(check['status'] === 'paused' && { activated: false }),
    ...(description !== null && { description }),
    ...(tags.length > 0 && { tags }),
    heartbeat: { period, periodUnit: 'seconds', grace: numberOf(check['grace']) ?? 3600, graceUnit: 'seconds' },
  };
  draft.add('checks', id, resource, source, notes);
}

/** Stable across exports: the UUID, the key of read-only exports, or the slug. */
function idOf(check: Foreign): string {
  const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(
    textOf(check['ping_url']) || textOf(check['uuid']),
  )?.[0];
  return uuid ?? (textOf(check['unique_key']) || textOf(check['slug']) || textOf(check['name']) || 'check');
}

function periodOfSchedule(check: Foreign, notes: string[]): number | null {
  const schedule = textOf(check['schedule']);
  const period = longestGap(schedule);
  if (period !== null) {
    notes.push(`expects a ping every ${spanText(period)}, the longest gap of its schedule ${schedule.slice(0, 60)}`);
  }
  return period;
}
