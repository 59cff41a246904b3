// Describes an assertion and its outcome in words.
import type { Assertion } from './assertion.ts';
import { type AssertionSource, type Comparison, sortOf, type SourceSort } from './sources.ts';

/** Outcome of an assertion. */
export interface Outcome {
  readonly passed: boolean;
  /** Actual value, shortened; null = none. */
  readonly actual: string | null;
  /** Why the comparison failed to run, or null. */
  readonly problem: string | null;
  /** Which of several matches `actual` is. Absent if there is only one. */
  readonly among?: string | null;
  /** Whether every match of a JSON path is compared. */
  readonly isEvery?: boolean;
  /** Whether the outcome is unknown because of Tocsin. */
  readonly isOurs?: true;
}

/** Input of a description. */
export interface Asserted extends Pick<Assertion, 'source' | 'comparison' | 'property' | 'target'> {
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
  LATENCY: 'round trip',
  JSON_RESPONSE: 'JSON response',
  TEXT_RESPONSE: 'text response',
  CERTIFICATE: 'certificate',
  CONNECTION: 'connection',
};

/** Properties of LATENCY. */
const roundTrips: Readonly<Record<string, string>> = {
  avg: 'average round trip',
  min: 'shortest round trip',
  max: 'longest round trip',
  stdDev: 'standard deviation of the round trip',
};

/** Words after "expected …", and on their own. */
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

/** Describes what holds, or the expected and actual values. */
export function sentence(
  asserted: Asserted,
  outcome: Pick<Outcome, 'passed' | 'actual' | 'problem' | 'among' | 'isEvery'>,
): string {
  const { comparison, target, regex } = asserted;
  const { passed, actual, problem, among = null, isEvery = false } = outcome;
  const sort = sortOf[asserted.source];
  const by = regex === null || regex === '' ? '' : ` (the match of /${regex}/)`;
  const [expected, holds] = phrases[comparison];
  const unit = asserted.source === 'LATENCY' ? ' ms' : '';
  const to = alone.has(comparison) ? '' : ` ${shown(target, sort)}${unit}`;
  const subject = subjectOf(asserted, passed, isEvery) + by;
  if (passed) return `${subject} ${holds}${to}${problem === null ? '' : `, but ${problem}`}`;
  const where = among === null ? '' : ` (${among})`;
  const came =
    problem === null ? `got ${actual === null ? 'nothing' : shown(actual, sort) + unit}${where}` : `but ${problem}`;
  return `expected ${subject} ${expected}${to}, ${came}`;
}

function subjectOf({ source, property }: Asserted, passed: boolean, isEvery: boolean): string {
  const sort = sortOf[source];
  if (sort === 'headers' && property === '') return passed ? 'header list' : 'headers';
  if (sort === 'text' || property === '' || property === '$') return subjects[source];
  if (source === 'LATENCY') return roundTrips[property] ?? subjects[source];
  if (sort !== 'json') return `${subjects[source]} ${property}`;
  return isEvery ? `every match of ${property}` : property;
}

/** Maximum length of values in a message, including the ellipsis. */
const maxShown = 201;

/** Numbers, JSON arrays and objects are unquoted; other text is quoted. */
function shown(text: string, sort: SourceSort): string {
  if (text.length > maxShown) return shown(`${text.slice(0, maxShown - 1).toWellFormed()}…`, sort);
  const isNumber = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
  const isPlain =
    sort === 'number' || (sort === 'field' && isNumber) || (sort === 'json' && (isNumber || /^[[{]/.test(text)));
  return isPlain ? text : JSON.stringify(text);
}
