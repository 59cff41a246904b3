// An assertion against an answer: what was expected, what came, and whether it holds.
import type { JsonObject, JsonValue } from '#domain/json.ts';
import { DeadlineError, withinMs } from '#lib/deadline.ts';
import { type Assertion, type AssertionSource, sortOf } from './assertion.ts';
import { createTarget, holds, type Observed } from './compare.ts';
import { type ExactValue, type JsonDocument, JsonProblem, parseJson, preview } from './json-document.ts';
import { compareMatches } from './matches.ts';
import type { Outcome } from './outcome.ts';

/** What assertions look at. */
export interface Observation {
  /** By source: a value, an object of headers or fields, a JSON document. */
  readonly values: Readonly<Partial<Record<AssertionSource, JsonValue>>>;
  /** What other sources of text and JSON are about; asked only if an assertion needs it. */
  readonly text: () => string;
}

/** Takes out of a text what may not be shown. */
export interface Hiding {
  readonly text: (text: string) => string;
  /** The longest text that is hidden, in characters. */
  readonly longest: number;
}

/** CPU time that the assertions of a check may take together, ms: far more than honest ones need. */
export const budgetMs = 500;

/** What is left of `budgetMs`, of all evaluations for one answer. */
export interface Budget {
  leftMs: number;
}

/** The part of a text that a regex is run on, characters. */
const mostRegexText = 64 * 1024;
/** Up to this length of a text or document a comparison takes next to no time, characters. */
const cheapText = 16 * 1024;
/** How much of a value is shown, characters. */
const mostShown = 200;

/** Evaluates all assertions of a check; JSON is read at most once. What cannot be evaluated does not hold, and says why. */
export function evaluateAll(
  assertions: readonly Assertion[],
  observation: Observation,
  hiding: Hiding,
  budget: Budget = { leftMs: budgetMs },
): Outcome[] {
  const documents = new Map<AssertionSource, JsonDocument>();
  const documentOf = (source: AssertionSource): JsonDocument => {
    const known = documents.get(source);
    if (known !== undefined) return known;
    const value = observation.values[source];
    const document = value === undefined ? parseJson(observation.text()) : { plain: value, exact: () => value };
    documents.set(source, document);
    return document;
  };
  return assertions.map((assertion) => {
    try {
      const evaluate = (): Outcome => evaluateOne(assertion, observation, documentOf, hiding);
      return isCheap(assertion, observation) ? evaluate() : inTime(evaluate, budget);
    } catch (error) {
      return { passed: false, actual: null, problem: hiding.text(wordsOf(error)) };
    }
  });
}

/** Without the place that a parser of paths adds, which quotes the path. */
function wordsOf(error: unknown): string {
  if (error instanceof JsonProblem) return error.message;
  if (error instanceof RangeError) return 'it could not be evaluated: the value is too large or nested too deeply';
  const detail = error instanceof Error ? error.message.replace(/ \('.*$/s, '') : 'unknown error';
  return `it could not be evaluated: ${detail}`;
}

/** Whether an evaluation takes far less than a millisecond, whatever the answer is. */
export function isCheap({ source, path, pattern }: Assertion, { values, text }: Observation): boolean {
  if (path !== null && path.mode !== 'one') return false;
  const sort = sortOf[source];
  if (sort !== 'text' && sort !== 'json') return pattern === null || isCheapPattern(pattern.source, mostRegexText);
  const value = values[source] ?? text();
  const length = typeof value === 'string' ? value.length : 0;
  return length <= cheapText && (pattern === null || isCheapPattern(pattern.source, length));
}

/** Whether a pattern cannot take long on a text of that length: one repeated character or class at most. */
function isCheapPattern(source: string, length: number): boolean {
  const plain = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  const repeats = plain.match(/[*+]/g)?.length ?? 0;
  if (repeats === 0) return length <= 2048 && !/[|{]/.test(plain) && !/\?/.test(plain);
  return repeats === 1 && length <= 2048 && !/[|{]|\)[*+?]/.test(plain) && (plain.match(/\?/g)?.length ?? 0) <= 2;
}

const shared = `the ${budgetMs} ms that all assertions of a check share`;

/** Runs what could take for ever, for as long as there is time left. */
function inTime(evaluate: () => Outcome, budget: Budget): Outcome {
  const failed = { passed: false, actual: null } as const;
  if (budget.leftMs <= 0) return { ...failed, problem: `it was not evaluated: ${shared} are used up` };
  const { leftMs } = budget;
  // On a busy machine a thread gets only a part of the time: then it is given more, once.
  for (const limitMs of [leftMs, 4 * leftMs]) {
    const before = process.threadCpuUsage();
    try {
      const outcome = withinMs(evaluate, limitMs);
      budget.leftMs -= Math.min(leftMs, cpuMsSince(before));
      return outcome;
    } catch (error) {
      const spentMs = cpuMsSince(before);
      if (!(error instanceof DeadlineError)) {
        budget.leftMs -= Math.min(leftMs, spentMs);
        throw error;
      }
      if (spentMs < leftMs / 2) continue;
      budget.leftMs = 0;
      return { ...failed, problem: `evaluating it takes longer than ${shared}` };
    }
  }
  return { ...failed, problem: 'Tocsin was too busy to evaluate it', isOurs: true };
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function evaluateOne(
  assertion: Assertion,
  observation: Observation,
  documentOf: (source: AssertionSource) => JsonDocument,
  hiding: Hiding,
): Outcome {
  const show = (value: ExactValue): string => {
    const text = hiding.text(preview(value, mostShown + hiding.longest * 2 + 1));
    return text.length <= mostShown ? text : `${text.slice(0, mostShown).toWellFormed()}…`;
  };
  const target = createTarget(targetOf(assertion));
  if (assertion.path !== null) return compareMatches(assertion, documentOf(assertion.source), target, show);
  const value = observed(assertion, observation);
  if (value === beyondSearched) return { passed: false, actual: null, problem: beyondProblem };
  const passed = isThere(assertion, value) ?? holds(assertion.comparison, value, target);
  return { passed, actual: value === undefined ? null : show(value), problem: null };
}

/** What an assertion without a JSON path is about. */
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

/** Milliseconds have decimals that nobody wrote. */
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

/** A regex may match only in the part of a text that it is not run on. */
const beyondSearched = Symbol('beyond what is searched');
const beyondProblem = `a regular expression searches only the first ${mostRegexText / 1024} kB`;

/** The first group of the match, or the whole match, takes the place of the text (reference: regex). */
function matched(value: Observed, pattern: RegExp | null): Observed | typeof beyondSearched {
  if (pattern === null || value === undefined) return value;
  const text = preview(value, mostRegexText + 1);
  const match = pattern.exec(text.slice(0, mostRegexText));
  const end = match === null ? mostRegexText : match.index + match[0].length;
  if (text.length > mostRegexText && end === mostRegexText) return beyondSearched;
  return match === null ? undefined : (match[1] ?? match[0]);
}

/** With a header named, "has key" asks whether that header is there; null = that is not asked. */
function isThere({ source, property, comparison }: Assertion, value: Observed): boolean | null {
  if (source !== 'HEADERS' || property === '' || !comparison.endsWith('HAS_KEY')) return null;
  return (value === undefined) === (comparison === 'NOT_HAS_KEY');
}

/** Header names are compared without regard to case. */
function targetOf({ source, comparison, property, target }: Assertion): string {
  return source === 'HEADERS' && property === '' && /KEY$|CONTAINS$/.test(comparison) ? target.toLowerCase() : target;
}
