// Evaluates one assertion on a response, without limits of time; the web UI evaluates with it, too.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { holdsForNothing, isNegated } from '#domain/checks/absent-values.ts';
import type { Assertion, JsonPath } from './assertion.ts';
import { type AssertionSource, sortOf } from './sources.ts';
import { createTarget, holds, type Observed, type Target } from './compare.ts';
import { type ExactValue, type JsonDocument, JsonProblem, parseJson, preview, valueAt } from './json-document.ts';
import type { Outcome } from './sentence.ts';

export interface Observation {
  /** Values by source: a scalar, an object of headers or fields, or a JSON document. */
  readonly values: Readonly<Partial<Record<AssertionSource, JsonValue>>>;
  /** Body for the other text and JSON sources. Called only if needed. */
  readonly text: () => string;
}

/** Masks values that must not be shown. */
export interface Hiding {
  readonly text: (text: string) => string;
  /** Length of the longest masked text, in characters. */
  readonly longest: number;
}

/** Maximum length of text for a regular expression. */
export const maxRegexText = 64 * 1024;
/** Maximum length of a displayed value. */
const maxShown = 200;

/**
 * Creates the function that evaluates assertions on a response; it parses JSON at most once. It throws if an assertion
 * cannot be evaluated.
 */
export function createEvaluator(observation: Observation, hiding: Hiding): (assertion: Assertion) => Outcome {
  const documents = new Map<AssertionSource, JsonDocument>();
  const documentOf = (source: AssertionSource): JsonDocument => {
    const known = documents.get(source);
    if (known !== undefined) return known;
    const value = observation.values[source];
    const document = value === undefined ? parseJson(observation.text()) : { plain: value, exact: () => value };
    documents.set(source, document);
    return document;
  };
  return (assertion) => evaluateOne(assertion, observation, documentOf, hiding);
}

/** The outcome of an assertion that cannot be evaluated. */
export function outcomeOfError(error: unknown, hiding: Hiding): Outcome {
  return { passed: false, actual: null, problem: hiding.text(wordsOf(error)) };
}

/** Removes the place from a path parser's message, because it quotes the path. */
function wordsOf(error: unknown): string {
  if (error instanceof JsonProblem) return error.message;
  if (error instanceof RangeError) return 'evaluation failed: the value is too large or nested too deeply';
  const detail = error instanceof Error ? error.message.replace(/ \('.*$/s, '') : 'unknown error';
  return `evaluation failed: ${detail}`;
}

function evaluateOne(
  assertion: Assertion,
  observation: Observation,
  documentOf: (source: AssertionSource) => JsonDocument,
  hiding: Hiding,
): Outcome {
  const show = (value: ExactValue): string => {
    const text = hiding.text(preview(value, maxShown + hiding.longest * 2 + 1));
    return text.length <= maxShown ? text : `${text.slice(0, maxShown).toWellFormed()}…`;
  };
  const target = createTarget(targetOf(assertion));
  if (assertion.path !== null) return compareMatches(assertion, documentOf(assertion.source), target, show);
  const value = observed(assertion, observation);
  if (value === beyondSearched) return { passed: false, actual: null, problem: beyondProblem };
  if (!assertion.passesIfAbsent && isAbsent(assertion, value)) return outcomeOfNothing(assertion, observation);
  const passed = isThere(assertion, value) ?? holds(assertion.comparison, value, target);
  return { passed, actual: value === undefined ? null : show(value), problem: null };
}

/** Whether the value does not exist. Facts about a certificate or connection that do not apply are null. */
function isAbsent({ source }: Assertion, value: Observed): boolean {
  return value === undefined || (value === null && sortOf[source] === 'field');
}

/** The outcome for a value that does not exist (docs/decisions/0140). */
function outcomeOfNothing({ source, comparison, property, pattern }: Assertion, { values }: Observation): Outcome {
  const outcome = (passed: boolean, problem: string | null): Outcome => ({ passed, actual: null, problem });
  if (holdsForNothing(comparison)) return outcome(true, null);
  const isHeader = source === 'HEADERS' && property !== '';
  const isMissing = isHeader && headerValue(values[source], property) === undefined;
  if (isHeader && comparison === 'NOT_HAS_KEY') return outcome(isMissing, isMissing ? null : 'the header exists');
  // Positive comparisons report that there is no value.
  if (!isNegated(comparison)) return outcome(false, null);
  if (pattern !== null && !isMissing) return outcome(false, 'the regular expression matches nothing');
  return outcome(false, isHeader ? 'the header is missing' : 'it has no value');
}

/** The subject of an assertion without a JSON path. */
function observed(
  { source, property, pattern }: Assertion,
  { values, text }: Observation,
): Observed | typeof beyondSearched {
  const value = values[source];
  const sort = sortOf[source];
  if (sort === 'headers') return matched(headerValue(value, property), pattern);
  if (sort === 'text') return matched(value ?? text(), pattern);
  const own = sort === 'field' || typeof value === 'object' ? (value as JsonObject | undefined)?.[property] : value;
  return sort === 'number' ? rounded(own) : own;
}

/** Rounds measured milliseconds. */
function rounded(value: Observed): Observed {
  return typeof value === 'number' ? Math.round(value * 1000) / 1000 : value;
}

function headerValue(headers: JsonValue | undefined, name: string): Observed {
  const joined = Object.entries((headers ?? {}) as JsonObject).map(([key, value]) => [key, inOneLine(value)] as const);
  if (name === '') return Object.fromEntries(joined);
  return joined.find(([key]) => key === name.toLowerCase())?.[1];
}

function inOneLine(value: JsonValue): string {
  return Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : JSON.stringify(value);
}

/** The regex may match beyond the searched part. */
const beyondSearched = Symbol('beyond what is searched');
const beyondProblem = `a regular expression searches only the first ${maxRegexText / 1024} kB`;

/** Replaces the text by the first group of the match, or the whole match (reference: regex). */
function matched(value: Observed, pattern: RegExp | null): Observed | typeof beyondSearched {
  if (pattern === null || value === undefined) return value;
  const text = preview(value, maxRegexText + 1);
  const match = pattern.exec(text.slice(0, maxRegexText));
  const end = match === null ? maxRegexText : match.index + match[0].length;
  if (text.length > maxRegexText && end === maxRegexText) return beyondSearched;
  return match === null ? undefined : (match[1] ?? match[0]);
}

/** For a named header, HAS_KEY checks whether it exists; null = not applicable. */
function isThere({ source, property, comparison }: Assertion, value: Observed): boolean | null {
  if (source !== 'HEADERS' || property === '' || !comparison.endsWith('HAS_KEY')) return null;
  return (value === undefined) === (comparison === 'NOT_HAS_KEY');
}

/** Header names are case-insensitive. */
function targetOf({ source, comparison, property, target }: Assertion): string {
  return source === 'HEADERS' && property === '' && /KEY$|CONTAINS$/.test(comparison) ? target.toLowerCase() : target;
}

/** Maximum matches displayed; more do not fit anyway. */
const maxSeen = 100;
const nothing = 'the path matches nothing';

/** Compares the matches of a path in a document. */
function compareMatches(
  { comparison, path, passesIfAbsent }: Pick<Assertion, 'comparison' | 'path' | 'passesIfAbsent'>,
  document: JsonDocument,
  target: Target,
  show: (value: ExactValue) => string,
): Outcome {
  const matches = matchesOf(path, document);
  const isHeld = (value: ExactValue | undefined): boolean => holds(comparison, value, target);
  const isEvery = path?.mode === 'every' && comparison !== 'HAS_VALUE';
  const outcome = (passed: boolean, value: ExactValue | undefined): Outcome => ({
    passed,
    actual: value === undefined ? null : show(value),
    problem: null,
    ...(isEvery && { isEvery }),
  });
  if (path?.mode === 'count') {
    let count = 0;
    for (const _match of matches) count++;
    return outcome(isHeld(count), count);
  }
  if (path?.mode === 'one') {
    const [value] = matches;
    const isRefused = value === undefined && !passesIfAbsent && isNegated(comparison);
    if (isRefused) return { ...outcome(false, undefined), problem: nothing };
    return outcome(isHeld(value), value);
  }
  // HAS_VALUE requires only one matching value.
  const isAny = path?.mode === 'any' || comparison === 'HAS_VALUE';
  const seen: ExactValue[] = [];
  let count = 0;
  for (const value of matches) {
    count++;
    if (seen.length < maxSeen) seen.push(value);
    if (isHeld(value) === isAny) {
      return isAny ? outcome(true, value) : { ...outcome(false, value), among: `match ${count}` };
    }
  }
  const [first] = seen;
  if (count === 0) {
    const passed = path?.mode !== 'any' && holdsForNothing(comparison);
    return passed ? outcome(true, undefined) : { ...outcome(false, undefined), problem: nothing };
  }
  const all = outcome(!isAny, count === 1 ? first : seen);
  return isAny && count > 1 ? { ...all, among: `none of ${count} matches` } : all;
}

/** Yields values as written. */
function* matchesOf(path: JsonPath | null, { plain, exact }: JsonDocument): Generator<ExactValue, void, undefined> {
  if (path === null) return;
  for (const { value, location } of path.query.lazyQuery(plain as Parameters<typeof path.query.query>[0])) {
    const mayHoldNumbers = typeof value === 'number' || (typeof value === 'object' && value !== null);
    const found = mayHoldNumbers ? valueAt(exact(), location) : (value as ExactValue);
    if (found !== undefined) yield found;
  }
}
