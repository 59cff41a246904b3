// An assertion against an answer: what was expected, what came, and whether it holds.
import type { IncomingHttpHeaders } from 'node:http';
import type { JsonValue } from '#domain/json.ts';
import { DeadlineError, withinMs } from '#lib/deadline.ts';
import type { Assertion, AssertionSource, Comparison } from './assertion.ts';
import { holds, type Observed } from './compare.ts';

/** What assertions look at. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly responseTimeMs: number;
  /** Decoded; called only by the assertions that need it. */
  readonly text: () => string;
}

/** How an assertion came out. */
export interface Outcome {
  readonly passed: boolean;
  /** What came, shortened; null = nothing. */
  readonly actual: string | null;
  /** Why nothing could be compared; null when it could. */
  readonly problem: string | null;
}

/** The part of a text that a regex is run on, characters. */
const mostRegexText = 64 * 1024;
/** How long one regex or JSON path may take, ms: far more than an honest one needs, so that a busy machine fails none. */
const patternMs = 250;
/** How much of a value is shown, characters. */
const mostShown = 200;

/** Evaluates all assertions of a check; JSON is read at most once. */
export function evaluateAll(
  assertions: readonly Assertion[],
  answer: Answer,
  hide: (text: string) => string,
): Outcome[] {
  let document: { readonly value: JsonValue } | undefined;
  const json = (): JsonValue => (document ??= { value: JSON.parse(answer.text()) as JsonValue }).value;
  return assertions.map((assertion) => {
    const seen = observers[assertion.source](assertion, answer, json);
    if ('problem' in seen) return { passed: false, actual: null, problem: seen.problem };
    const isNamed =
      assertion.source === 'HEADERS' && assertion.property !== '' && assertion.comparison.endsWith('HAS_KEY');
    // With a header named, "has key" asks whether that header is there.
    const passed = isNamed
      ? (seen.value === undefined) === (assertion.comparison === 'NOT_HAS_KEY')
      : holds(assertion.comparison, seen.value, targetOf(assertion));
    return { passed, actual: seen.value === undefined ? null : shorten(hide(shown(seen.value))), problem: null };
  });
}

/** Header names are compared without regard to case. */
function targetOf({ source, comparison, property, target }: Assertion): string {
  return source === 'HEADERS' && property === '' && /KEY$|CONTAINS$/.test(comparison) ? target.toLowerCase() : target;
}

type Seen = { readonly value: Observed } | { readonly problem: string };

const observers: Readonly<
  Record<AssertionSource, (assertion: Assertion, answer: Answer, json: () => JsonValue) => Seen>
> = {
  STATUS_CODE: (_, answer) => ({ value: answer.status }),
  RESPONSE_TIME: (_, answer) => ({ value: answer.responseTimeMs }),
  HEADERS: (assertion, answer) => matched(assertion, headerValue(answer.headers, assertion.property)),
  TEXT_BODY: (assertion, answer) => matched(assertion, answer.text()),
  JSON_BODY: (assertion, _, json) => selected(assertion, json),
};

function headerValue(headers: IncomingHttpHeaders, name: string): Observed {
  if (name === '') return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, joined(value) ?? '']));
  return joined(Object.hasOwn(headers, name.toLowerCase()) ? headers[name.toLowerCase()] : undefined);
}

function joined(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The first group of the match, or the whole match, takes the place of the text (reference: regex). */
function matched({ pattern }: Assertion, value: Observed): Seen {
  if (pattern === null || value === undefined) return { value };
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, mostRegexText);
  const run = (): RegExpExecArray | null => pattern.exec(text);
  try {
    const match = isCheap(pattern.source, text.length) ? run() : withinMs(run, patternMs);
    return { value: match === null ? undefined : (match[1] ?? match[0]) };
  } catch (error) {
    if (error instanceof DeadlineError) return { problem: `the regex took longer than ${patternMs} ms on it` };
    throw error;
  }
}

/** Whether a pattern cannot take long on a text of that length: one repeated character or class at most. */
function isCheap(source: string, length: number): boolean {
  const plain = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  const repeats = plain.match(/[*+]/g)?.length ?? 0;
  if (repeats === 0) return length <= 2048 && !/[|{]/.test(plain) && !/\?/.test(plain);
  return repeats === 1 && length <= 2048 && !/[|{]|\)[*+?]/.test(plain) && (plain.match(/\?/g)?.length ?? 0) <= 2;
}

function selected({ path }: Assertion, json: () => JsonValue): Seen {
  let document: JsonValue;
  try {
    document = json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: 'the body is not JSON' };
  }
  if (path === null) return { value: document };
  const run = (): unknown[] => path.query(document as Parameters<typeof path.query>[0]).values();
  try {
    const found = (path.singularQuery() ? run() : withinMs(run, patternMs)) as JsonValue[];
    return { value: found.length > 1 ? found : found[0] };
  } catch (error) {
    if (error instanceof DeadlineError) return { problem: `the JSON path took longer than ${patternMs} ms on it` };
    return { problem: `the JSON path cannot be followed: ${error instanceof Error ? error.message : 'unknown error'}` };
  }
}

function shown(value: JsonValue): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(Math.round(value * 1000) / 1000) : JSON.stringify(value);
}

function shorten(text: string): string {
  return text.length <= mostShown ? text : `${text.slice(0, mostShown).toWellFormed()}…`;
}

/** What an assertion needs to be put into words. */
export interface Asserted {
  readonly source: string;
  readonly comparison: Comparison;
  readonly property: string;
  readonly target: string;
  readonly regex: string | null;
}

const subjects: Readonly<Record<string, string>> = {
  STATUS_CODE: 'status code',
  RESPONSE_TIME: 'response time in ms',
  TEXT_BODY: 'text body',
  HEADERS: 'header',
  JSON_BODY: 'JSON body',
};
const phrases: Readonly<Record<Comparison, (target: string) => string>> = {
  EQUALS: (target) => `to equal ${target}`,
  NOT_EQUALS: (target) => `not to equal ${target}`,
  HAS_KEY: (target) => `to have the key ${target}`,
  NOT_HAS_KEY: (target) => `not to have the key ${target}`,
  HAS_VALUE: (target) => `to have the value ${target}`,
  NOT_HAS_VALUE: (target) => `not to have the value ${target}`,
  IS_EMPTY: () => 'to be empty',
  NOT_EMPTY: () => 'not to be empty',
  GREATER_THAN: (target) => `to be greater than ${target}`,
  LESS_THAN: (target) => `to be less than ${target}`,
  CONTAINS: (target) => `to contain ${target}`,
  NOT_CONTAINS: (target) => `not to contain ${target}`,
  IS_NULL: () => 'to be null',
  NOT_NULL: () => 'not to be null',
};

/** What was expected and what came, in one sentence. */
export function sentence(asserted: Asserted, outcome: Pick<Outcome, 'actual' | 'problem'>): string {
  const { source, comparison, property, target, regex } = asserted;
  const isNumber = source === 'STATUS_CODE' || source === 'RESPONSE_TIME';
  const isRegexProperty = source === 'TEXT_BODY';
  const subject = source === 'HEADERS' && property === '' ? 'headers' : (subjects[source] ?? source);
  const of = property === '' || isRegexProperty ? '' : ` ${property}`;
  const by = regex === null || regex === '' ? '' : ` (the match of /${regex}/)`;
  const phrase = phrases[comparison](isNumber ? target : JSON.stringify(target));
  const came = outcome.problem ?? `got ${quoted(outcome.actual, isNumber)}`;
  return `expected ${subject}${of}${by} ${phrase}, ${outcome.problem === null ? came : `but ${came}`}`;
}

function quoted(actual: string | null, isNumber: boolean): string {
  if (actual === null) return 'nothing';
  return isNumber ? actual : JSON.stringify(actual);
}
