// An assertion against an answer: what was expected, what came, and whether it holds.
import type { JsonValue } from '#domain/json.ts';
import { DeadlineError, withinMs } from '#lib/deadline.ts';
import { type Assertion, type AssertionSource, sortOf, type SourceSort } from './assertion.ts';
import { holds, type Observed } from './compare.ts';

/**
 * What assertions look at: the value of a source, or of its property where it has several; of JSON the document. Asked
 * only for what an assertion needs; throws SyntaxError where there is no JSON.
 */
export type Look = (source: AssertionSource, property: string) => Observed;

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
/**
 * How long the regexes and JSON paths of a probe may take together, ms: far more than honest ones need, so that a busy
 * machine fails none, and no longer than the other probes of the thread can wait.
 */
const patternsMs = 250;
/** How much of a value is shown, characters. */
const mostShown = 200;

/** What is left of `patternsMs`. */
interface Time {
  leftMs: number;
}

/** Evaluates all assertions of a check; JSON is read at most once, and a value that many look at is shown once. */
export function evaluateAll(assertions: readonly Assertion[], look: Look, hide: (text: string) => string): Outcome[] {
  const documents = new Map<AssertionSource, Observed>();
  const json = (source: AssertionSource): Observed => {
    if (!documents.has(source)) documents.set(source, look(source, ''));
    return documents.get(source);
  };
  const time: Time = { leftMs: patternsMs };
  const texts = new Map<JsonValue, string>();
  const textOf = (value: JsonValue): string => {
    const known = texts.get(value);
    if (known !== undefined) return known;
    const text = shorten(hide(shown(value)));
    texts.set(value, text);
    return text;
  };
  return assertions.map((assertion) => {
    const seen = observers[sortOf[assertion.source]](assertion, look, json, time);
    if ('problem' in seen) return { passed: false, actual: null, problem: hide(seen.problem) };
    const passed = isThere(assertion, seen.value) ?? holds(assertion.comparison, seen.value, targetOf(assertion));
    const actual = seen.value === undefined ? null : textOf(seen.value);
    // Comparing and showing all that a path found takes time, too.
    if (seen.startedAt !== undefined) time.leftMs -= performance.now() - seen.startedAt;
    return { passed, actual, problem: null };
  });
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

/** `startedAt`, of `performance.now()`: when work that counts against the time began. */
type Seen = { readonly value: Observed; readonly startedAt?: number } | { readonly problem: string };

type Document = (source: AssertionSource) => Observed;

const observers: Readonly<Record<SourceSort, (assertion: Assertion, look: Look, json: Document, time: Time) => Seen>> =
  {
    number: plain,
    word: plain,
    field: plain,
    headers: (assertion, look, _, time) => matched(assertion, look(assertion.source, assertion.property), time),
    text: (assertion, look, _, time) => matched(assertion, look(assertion.source, ''), time),
    json: (assertion, _, json, time) => selected(assertion, json, time),
  };

function plain({ source, property }: Assertion, look: Look): Seen {
  return { value: look(source, property) };
}

/** The first group of the match, or the whole match, takes the place of the text (reference: regex). */
function matched({ pattern }: Assertion, value: Observed, time: Time): Seen {
  if (pattern === null || value === undefined) return { value };
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, mostRegexText);
  const run = (): string | undefined => {
    const match = pattern.exec(text);
    return match === null ? undefined : (match[1] ?? match[0]);
  };
  return isCheap(pattern.source, text.length) ? { value: run() } : inTime(run, time, 'regex');
}

/** Runs what could take for ever, for as long as there is time left. */
function inTime(run: () => Observed, time: Time, what: 'regex' | 'JSON path'): Seen {
  const all = `the ${patternsMs} ms that the regexes and JSON paths of a check have together`;
  if (time.leftMs <= 0) return { problem: `the ${what} was not tried: those before it took ${all}` };
  const startedAt = performance.now();
  try {
    return { value: withinMs(run, time.leftMs), startedAt };
  } catch (error) {
    time.leftMs -= performance.now() - startedAt;
    if (!(error instanceof DeadlineError)) throw error;
    time.leftMs = 0;
    return { problem: `the ${what} was stopped: it took longer than what was left of ${all}` };
  }
}

/** Whether a pattern cannot take long on a text of that length: one repeated character or class at most. */
function isCheap(source: string, length: number): boolean {
  const plain = source.replace(/\\./gs, 'x').replace(/\[[^\]]*\]/g, 'x');
  const repeats = plain.match(/[*+]/g)?.length ?? 0;
  if (repeats === 0) return length <= 2048 && !/[|{]/.test(plain) && !/\?/.test(plain);
  return repeats === 1 && length <= 2048 && !/[|{]|\)[*+?]/.test(plain) && (plain.match(/\?/g)?.length ?? 0) <= 2;
}

function selected({ path, source }: Assertion, json: Document, time: Time): Seen {
  let document: Observed;
  try {
    document = json(source);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: 'the body is not JSON' };
  }
  if (path === null || document === undefined) return { value: document };
  const run = (): Observed => {
    const found = path.query(document as Parameters<typeof path.query>[0]).values() as JsonValue[];
    return found.length > 1 ? found : found[0];
  };
  try {
    return path.singularQuery() ? { value: run() } : inTime(run, time, 'JSON path');
  } catch (error) {
    // Without the place that the parser adds, which quotes the path.
    const detail = error instanceof Error ? error.message.replace(/ \('.*$/s, '') : 'unknown error';
    return { problem: `the JSON path cannot be followed: ${detail}` };
  }
}

function shown(value: JsonValue): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(Math.round(value * 1000) / 1000) : JSON.stringify(value);
}

function shorten(text: string): string {
  return text.length <= mostShown ? text : `${text.slice(0, mostShown).toWellFormed()}…`;
}
