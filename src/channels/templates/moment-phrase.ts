// Parses times in templates: "2 days ago", "next week", "monday", ISO dates, milliseconds (spec §6.3: moment).
import { weekdays } from './moment-format.ts';

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

const unitWords: Readonly<Record<Unit, readonly string[]>> = {
  second: ['s', 'sec', 'secs', 'second', 'seconds'],
  minute: ['m', 'min', 'mins', 'minute', 'minutes'],
  hour: ['h', 'hr', 'hrs', 'hour', 'hours'],
  day: ['d', 'day', 'days'],
  week: ['w', 'wk', 'wks', 'week', 'weeks'],
  month: ['mo', 'mon', 'mons', 'month', 'months'],
  quarter: ['quarter', 'quarters'],
  year: ['y', 'yr', 'yrs', 'year', 'years'],
};
const units = new Map(Object.entries(unitWords).flatMap(([unit, words]) => words.map((word) => [word, unit as Unit])));

const numberWords = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ');
const fixedMs: Readonly<Partial<Record<Unit, number>>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
};
const monthsIn: Readonly<Partial<Record<Unit, number>>> = { month: 1, quarter: 3, year: 12 };
const dayMs = 86_400_000;
/** Maximum length of a phrase. */
const longest = 64;
/** Range limit of Date, in both directions. */
const lastInstant = 8_640_000_000_000_000;

/** Adds whole units. Months keep the day of the month, or use the last day of a shorter month. */
function shifted(at: number, count: number, unit: Unit): number {
  const ms = fixedMs[unit];
  if (ms !== undefined) return at + count * ms;
  const from = new Date(at);
  const moved = new Date(at);
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + count * (monthsIn[unit] ?? 0));
  const lastDay = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(from.getUTCDate(), lastDay));
  return moved.getTime();
}

function parseCount(word: string): number | null {
  if (word === 'a' || word === 'an') return 1;
  const named = numberWords.indexOf(word);
  if (named >= 0) return named;
  return /^\d{1,9}$/.test(word) ? Number(word) : null;
}

/** Parses amounts such as "2 days" or "an hour and 5 minutes"; null if the text is anything else. */
function amount(words: readonly string[]): [number, Unit][] | null {
  const steps: [number, Unit][] = [];
  const rest = words.filter((word) => word !== 'and');
  for (let i = 0; i < rest.length; i += 2) {
    const count = parseCount(rest[i] ?? '');
    const unit = units.get(rest[i + 1] ?? '');
    if (count === null || unit === undefined) return null;
    steps.push([count, unit]);
  }
  return steps.length === 0 ? null : steps;
}

function moved(now: number, words: readonly string[], direction: 1 | -1): number | null {
  const steps = amount(words);
  return steps === null ? null : steps.reduce((at, [count, unit]) => shifted(at, direction * count, unit), now);
}

function parseWeekday(word: string): number {
  return word.length < 3 ? -1 : weekdays.findIndex((day) => day.toLowerCase() === word || shortDay(day, word));
}

function shortDay(day: string, word: string): boolean {
  return (
    word === day.slice(0, 3).toLowerCase() ||
    (word === 'tues' && day === 'Tuesday') ||
    (word === 'thurs' && day === 'Thursday')
  );
}

/**
 * The given weekday, today or in the next six days; with `before`, the last one before today. Keeps the time of day.
 */
function onWeekday(now: number, weekday: number, before: boolean): number {
  const ahead = (weekday - new Date(now).getUTCDay() + 7) % 7;
  return now + (before ? ahead - 7 : ahead) * dayMs;
}

function relative(phrase: string, now: number): number | null {
  const words = phrase.replace(/(\d)([a-z])/g, '$1 $2').split(/[\s,]+/);
  const last = words.length - 1;
  if (words.length === 1) {
    const days = ['yesterday', 'today', 'tomorrow'].indexOf(phrase);
    if (phrase === 'now') return now;
    if (days >= 0) return now + (days - 1) * dayMs;
    const weekday = parseWeekday(phrase);
    return weekday < 0 ? null : onWeekday(now, weekday, false);
  }
  if (words.length === 2 && (words[0] === 'last' || words[0] === 'next')) {
    const before = words[0] === 'last';
    const unit = units.get(words[1] ?? '');
    if (unit !== undefined) return shifted(now, before ? -1 : 1, unit);
    const weekday = parseWeekday(words[1] ?? '');
    return weekday < 0 ? null : onWeekday(now, weekday, before);
  }
  if (words[last] === 'ago') return moved(now, words.slice(0, last), -1);
  if (words[0] === 'in') return moved(now, words.slice(1), 1);
  if (words[last] === 'now' && words[last - 1] === 'from') return moved(now, words.slice(0, last - 1), 1);
  return null;
}

const isoDate = /^\d{4}-\d\d(-\d\d)?$|^\d{4}-\d\d-\d\d[t ]\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(z|[+-]\d\d:?\d\d)?$/;

/** The format of times in variables. These days exist in every month, so no check is needed. */
const exact = /^\d{4}-\d\d-(?:[01]\d|2[0-8])T\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Parses an ISO date or time. Without an offset it is UTC. */
function iso(phrase: string): number | null {
  if (!isoDate.test(phrase)) return null;
  const text = phrase.toUpperCase().replace(' ', 'T').replace(',', '.');
  const hasZone = !text.includes('T') || /(Z|[+-]\d\d:?\d\d)$/.test(text.slice(10));
  const at = Date.parse(hasZone ? text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2') : `${text}Z`);
  const day = Number(text.slice(8, 10) || 1);
  // Date.parse accepts 30 February as 1 March; reject days that do not exist.
  const monthLength = new Date(Date.UTC(Number(text.slice(0, 4)), Number(text.slice(5, 7)), 0)).getUTCDate();
  return Number.isNaN(at) || day > monthLength ? null : at;
}

/**
 * Parses a phrase or number as a time (epoch ms), relative to `now`. Returns null if unknown. Accepts: now, today,
 * yesterday, tomorrow, `N unit(s) ago`, `in N unit(s)`, `N unit(s) from now`, `last|next unit`, weekday names (also
 * with last and next), ISO dates and times (UTC by default), epoch milliseconds.
 */
export function parseInstant(value: unknown, now: number): number | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null;
  let at: number | null;
  if (typeof value === 'number') at = value;
  else if (value.length === 24 && exact.test(value)) at = Date.parse(value);
  else if (value.length > longest) at = null;
  else {
    const phrase = value.trim().toLowerCase();
    at = /^-?\d{9,16}$/.test(phrase) ? Number(phrase) : (iso(phrase) ?? relative(phrase, now));
  }
  return at === null || !Number.isFinite(at) || Math.abs(at) > lastInstant ? null : Math.trunc(at);
}
