// What an assertion says of an answer, in words: what holds, or what was expected and what came.
import { type AssertionSource, type Comparison, sortOf } from './assertion.ts';
import type { Outcome } from './evaluate.ts';

/** What an assertion needs to be put into words. */
export interface Asserted {
  readonly source: AssertionSource;
  readonly comparison: Comparison;
  readonly property: string;
  readonly target: string;
  readonly regex: string | null;
}

const subjects: Readonly<Record<AssertionSource, string>> = {
  STATUS_CODE: 'status code',
  RESPONSE_TIME: 'response time in ms',
  TEXT_BODY: 'text body',
  HEADERS: 'header',
  JSON_BODY: 'JSON body',
  RESPONSE_DATA: 'data',
  RESPONSE_CODE: 'response code',
  TEXT_ANSWER: 'text answer',
  JSON_ANSWER: 'JSON answer',
  LATENCY: 'round trip in ms,',
  JSON_RESPONSE: 'JSON response',
  TEXT_RESPONSE: 'text response',
  CERTIFICATE: 'certificate',
  CONNECTION: 'connection',
};

/** After "expected …", and by itself. */
const phrases: Readonly<Record<Comparison, readonly [expected: string, holds: string]>> = {
  EQUALS: ['to equal', 'equals'],
  NOT_EQUALS: ['not to equal', 'does not equal'],
  HAS_KEY: ['to have the key', 'has the key'],
  NOT_HAS_KEY: ['not to have the key', 'does not have the key'],
  HAS_VALUE: ['to have the value', 'has the value'],
  NOT_HAS_VALUE: ['not to have the value', 'does not have the value'],
  IS_EMPTY: ['to be empty', 'is empty'],
  NOT_EMPTY: ['not to be empty', 'is not empty'],
  GREATER_THAN: ['to be greater than', 'is greater than'],
  LESS_THAN: ['to be less than', 'is less than'],
  CONTAINS: ['to contain', 'contains'],
  NOT_CONTAINS: ['not to contain', 'does not contain'],
  IS_NULL: ['to be null', 'is null'],
  NOT_NULL: ['not to be null', 'is not null'],
};

const alone: ReadonlySet<Comparison> = new Set(['IS_EMPTY', 'NOT_EMPTY', 'IS_NULL', 'NOT_NULL']);

/** What holds, when it passed; otherwise what was expected and what came. */
export function sentence(asserted: Asserted, { passed, actual, problem }: Outcome): string {
  const { source, comparison, property, target, regex } = asserted;
  const isNumber = sortOf[source] === 'number';
  const isRegexProperty = sortOf[source] === 'text';
  const isList = source === 'HEADERS' && property === '';
  const subject = isList ? (passed ? 'header list' : 'headers') : subjects[source];
  const of = property === '' || isRegexProperty ? '' : ` ${property}`;
  const by = regex === null || regex === '' ? '' : ` (the match of /${regex}/)`;
  const [expected, holds] = phrases[comparison];
  const to = alone.has(comparison) ? '' : ` ${isNumber ? target : JSON.stringify(target)}`;
  if (passed) return `${subject}${of}${by} ${holds}${to}`;
  const came = problem === null ? `got ${quoted(actual, isNumber)}` : `but ${problem}`;
  return `expected ${subject}${of}${by} ${expected}${to}, ${came}`;
}

function quoted(actual: string | null, isNumber: boolean): string {
  if (actual === null) return 'nothing';
  return isNumber ? actual : JSON.stringify(actual);
}
