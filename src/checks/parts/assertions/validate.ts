// Validates assertions and time limits before variables are filled in, and warns about those without a useful effect.
import type { SettingsProblem } from '../../kind.ts';
import { passesIfAbsent } from '#domain/checks/absent-values.ts';
import { hasPlaceholder } from '../placeholders.ts';
import { type AssertionSettings, compileAssertion } from './assertion.ts';
import { type AssertionSource, sortOf } from './sources.ts';

/** Returns all problems of the assertions at `path`. Values of variables are not known yet. */
export function assertionProblems(
  assertions: readonly AssertionSettings[],
  sources: readonly AssertionSource[],
  path: string,
): SettingsProblem[] {
  const sample = (text: string, value: string): string => (hasPlaceholder(text) ? value : text);
  return assertions.flatMap((assertion, index) => {
    const source = sources.find((each) => each === assertion.source);
    const isJson = source !== undefined && sortOf[source] === 'json';
    const compiled = compileAssertion(
      {
        ...assertion,
        target: sample(assertion.target, '0'),
        property: sample(assertion.property, isJson ? '$' : 'x'),
        regex: sample(assertion.regex ?? '', 'x'),
      },
      sources,
    );
    return typeof compiled === 'string' ? [{ path: `${path}[${index}]`, message: compiled }] : [];
  });
}

/** The degraded limit must not exceed the failed limit; ms. */
export function timeProblems({
  degradedResponseTime,
  maxResponseTime,
}: {
  readonly degradedResponseTime: number;
  readonly maxResponseTime: number;
}): SettingsProblem[] {
  if (degradedResponseTime <= maxResponseTime) return [];
  const message = `${degradedResponseTime} exceeds maxResponseTime (${maxResponseTime})`;
  return [{ path: 'degradedResponseTime', message }];
}

/**
 * Warnings for the assertions at `path`, for every source.
 *
 * @param maxResponseTime ms; slower responses fail anyway
 */
export function assertionWarnings(
  assertions: readonly AssertionSettings[],
  path: string,
  maxResponseTime: number,
): SettingsProblem[] {
  return assertions.flatMap((assertion, index) => {
    const message =
      timeWarning(assertion, maxResponseTime) ??
      lengthWarning(assertion) ??
      namelessWarning(assertion) ??
      emptyWarning(assertion) ??
      absenceWarning(assertion) ??
      contradiction(assertion, index, assertions, path);
    return message === null ? [] : [{ path: `${path}[${index}]`, message }];
  });
}

function absenceWarning(assertion: AssertionSettings): string | null {
  if (!passesIfAbsent(assertion)) return null;
  return 'passes if the value does not exist, because an older version saved it; set passesIfAbsent to false to change that';
}

/** The number an assertion compares with; null if a variable supplies it. */
export function targetOf({ target }: AssertionSettings): number | null {
  return hasPlaceholder(target) || target.trim() === '' ? null : Number(target);
}

function timeWarning(assertion: AssertionSettings, maxResponseTime: number): string | null {
  const ms = targetOf(assertion);
  if (assertion.source !== 'RESPONSE_TIME' || ms === null) return null;
  const limit = `a response slower than maxResponseTime (${maxResponseTime} ms) fails in any case`;
  switch (assertion.comparison) {
    case 'LESS_THAN':
      if (ms <= 0) return 'never holds: a response time is at least 0 ms';
      return ms > maxResponseTime ? `has no effect: ${limit}; raise maxResponseTime to allow ${ms} ms` : null;
    case 'GREATER_THAN':
      return ms >= maxResponseTime ? `can never pass: ${limit}` : null;
    case 'EQUALS':
      return ms > maxResponseTime ? `can never pass: ${limit}` : null;
    default:
      return null;
  }
}

function lengthWarning({ source, property }: AssertionSettings): string | null {
  const list = /^(\$.*)\.length$/.exec(property.trim())?.[1];
  if (sortOf[source as AssertionSource] !== 'json' || list === undefined) return null;
  return `matches a member named "length" only; to count the items of a list, use count(${list}[*])`;
}

/** Comparisons that apply to the list of headers. */
const ofKeys: ReadonlySet<string> = new Set(['HAS_KEY', 'NOT_HAS_KEY', 'HAS_VALUE', 'NOT_HAS_VALUE']);

function namelessWarning({ source, comparison, property, regex }: AssertionSettings): string | null {
  if (source !== 'HEADERS' || property !== '' || ofKeys.has(comparison)) return null;
  const isOfNames = comparison.endsWith('CONTAINS') && !regex;
  const what = isOfNames ? 'checks only whether a header has this name' : 'compares all headers together';
  return `${what}: enter the name of a header as property`;
}

function emptyWarning({ source, comparison, property, target, regex }: AssertionSettings): string | null {
  if (target !== '' || !comparison.endsWith('CONTAINS')) return null;
  const isWhole = sortOf[source as AssertionSource] === 'text' && !regex && property === '';
  const holds = comparison === 'CONTAINS' ? 'always holds' : 'never holds';
  return `${holds}${isWhole ? '' : ' for a text'}: the target is empty, and every text contains an empty text`;
}

function contradiction(
  assertion: AssertionSettings,
  index: number,
  assertions: readonly AssertionSettings[],
  path: string,
): string | null {
  const { source, comparison, property, regex, target } = assertion;
  if (comparison !== 'EQUALS' || hasPlaceholder(target)) return null;
  const other = assertions.findIndex(
    (each, position) =>
      position < index &&
      each.source === source &&
      each.comparison === comparison &&
      each.property === property &&
      each.regex === regex &&
      each.target !== target &&
      !hasPlaceholder(each.target) &&
      !(Number(each.target) === Number(target)),
  );
  return other < 0 ? null : `contradicts ${path}[${other}]: both must hold, and a value cannot equal both`;
}
