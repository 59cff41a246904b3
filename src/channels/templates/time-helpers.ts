// Helpers that print times: moment, date and year in UTC (spec §6.3), localTime in the zone of the account
// (docs/decisions/0141). Phrases are relative to the delivery's creation.
import { zonedText } from '#domain/accounts/time-zone.ts';
import type { Scope, ValueHelper } from './helper.ts';
import { foreignWordIn, formatInstant } from './moment-format.ts';
import { parseInstant } from './moment-phrase.ts';
import { quoted, TemplateError } from './template-error.ts';
import { textOf } from './text-helpers.ts';

const understood =
  '"now", "yesterday", "2 days ago", "in 2 hours", "last week", "next month", "monday", an ISO date or epoch milliseconds';

function notUnderstood(value: unknown): string {
  return `${shown(textOf(value))} is not a valid time: use ${understood}`;
}

function shown(text: string): string {
  return quoted(text, maxQuoted);
}

/** Longest text quoted in a message. */
const maxQuoted = 64;

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** Returns what is wrong with a format, or null. `isAlone`: the call has no time argument. */
function formatFault(format: unknown, isAlone: boolean): string | null {
  if (isMissing(format)) return null;
  const text = textOf(format);
  if (isAlone && parseInstant(format, 0) !== null) {
    return `${shown(text)} is a time, not a format: add a format after it, as in {{moment '2 days ago' 'YYYY-MM-DD'}}`;
  }
  const word = foreignWordIn(text);
  if (word === null) return null;
  const fix = word.length > maxQuoted ? '' : `, [${word}]`;
  return `${shown(word)} is not a format token: enclose literal text in brackets${fix}`;
}

/**
 * One argument is a format for the current time; two are a time and a format; none means `MMMM DD, YYYY`. A missing
 * value prints nothing. An invalid one is a visible error.
 */
function moment(args: readonly unknown[], scope: Scope): string {
  const isAlone = args.length < 2;
  const format = args.length === 0 ? standard : textOf(args[isAlone ? 0 : 1]);
  // Tokens can expand: `LLLL` is 4 characters and prints 38.
  scope.handle(format.length * 16);
  const wrong = formatFault(isAlone ? args[0] : args[1], isAlone);
  if (wrong !== null) throw new TemplateError(wrong, scope.place);
  if (isAlone) return formatInstant(scope.now, format);
  const [value] = args;
  if (isMissing(value)) return '';
  const at = parseInstant(value, scope.now);
  if (at === null) throw new TemplateError(notUnderstood(value), scope.place);
  return formatInstant(at, isMissing(args[1]) ? standard : format);
}

const standard = 'MMMM DD, YYYY';

/** Checks literal times and formats on save. */
function fault(literals: readonly unknown[]): string | null {
  const isAlone = literals.length < 2;
  const [value] = literals;
  if (!isAlone && !isMissing(value) && parseInstant(value, 0) === null) return notUnderstood(value);
  return formatFault(isAlone ? value : literals[1], isAlone);
}

const momentHelper: ValueHelper = { kind: 'value', least: 0, value: moment, fault };

const localTime: ValueHelper = {
  kind: 'value',
  least: 1,
  value: ([value], { now, timeZone, place }) => {
    if (isMissing(value)) return '';
    const at = parseInstant(value, now);
    if (at === null) throw new TemplateError(notUnderstood(value), place);
    return zonedText(at, timeZone);
  },
  fault: ([value]) => (isMissing(value) || parseInstant(value, 0) !== null ? null : notUnderstood(value)),
};

export const timeHelpers: Readonly<Record<string, ValueHelper>> = {
  moment: momentHelper,
  date: momentHelper,
  localTime,
  year: { kind: 'value', least: 0, value: (_args, { now }) => String(new Date(now).getUTCFullYear()) },
};
