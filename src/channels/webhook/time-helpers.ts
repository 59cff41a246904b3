// Helpers that print times: moment, date and year, all in UTC and seen from the delivery's creation (spec §6.3).
import type { Scope, ValueHelper } from './helper.ts';
import { formatInstant } from './moment-format.ts';
import { instantOf } from './moment-phrase.ts';
import { TemplateError } from './template-error.ts';
import { textOf } from './text-helpers.ts';

const understood =
  '"now", "yesterday", "2 days ago", "in 2 hours", "last week", "next month", "monday", an ISO date or milliseconds';

function notUnderstood(value: unknown): string {
  const shown = textOf(value);
  return `"${shown.length > 64 ? `${shown.slice(0, 64)}…` : shown}" is not a time: moment understands ${understood}`;
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/**
 * One text = the format of now; two = the time of the first, in the format of the second; none = `MMMM DD, YYYY`.
 * A missing time prints nothing; one that is not understood is a visible error, never silently "now".
 */
function moment(args: readonly unknown[], scope: Scope): string {
  const format = args.length === 0 ? 'MMMM DD, YYYY' : textOf(args.length === 1 ? args[0] : args[1]);
  // A token can grow into a sentence: "LLLL" is 4 characters and prints 38.
  scope.handle(format.length * 16);
  if (args.length < 2) return formatInstant(scope.now, format);
  const [value] = args;
  if (isMissing(value)) return '';
  const at = instantOf(value, scope.now);
  if (at === null) throw new TemplateError(notUnderstood(value), scope.place);
  return formatInstant(at, isMissing(args[1]) ? 'MMMM DD, YYYY' : format);
}

/** At save: a time written out in the template must be one that is understood. */
function fault(literals: readonly unknown[]): string | null {
  if (literals.length < 2 || isMissing(literals[0])) return null;
  return instantOf(literals[0], 0) === null ? notUnderstood(literals[0]) : null;
}

const momentHelper: ValueHelper = { kind: 'value', least: 0, value: moment, fault };

/** The time helpers by name. */
export const timeHelpers: Readonly<Record<string, ValueHelper>> = {
  moment: momentHelper,
  date: momentHelper,
  year: { kind: 'value', least: 0, value: (_args, { now }) => String(new Date(now).getUTCFullYear()) },
};
