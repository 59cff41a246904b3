// Compact storage of assertions and their outcomes: one short list each, because there are many results.
import { textOrNull } from '../read.ts';
import type { JsonValue } from '#domain/json.ts';
import { type AssertionSource, comparisons, sources } from './sources.ts';
import { type Asserted, type Outcome, sentence } from './sentence.ts';

export interface AssertionOutcome extends Asserted, Omit<Outcome, 'isOurs'> {
  /** What holds, or the expected and actual values. */
  readonly message: string;
}

/** Characters stored of a passed assertion's value. Failed ones are stored in full. */
const keptOfPassed = 40;

/**
 * Encodes `[code, target, property, actual, regex, problem, among, isEvery]`. `code` combines source and comparison and
 * is negative on failure.
 */
export function encodeAssertion(outcome: Omit<AssertionOutcome, 'message'>): JsonValue {
  const { source, comparison, property, target, regex, actual, problem, among, isEvery, passed } = outcome;
  const code = sources.indexOf(source) * comparisons.length + comparisons.indexOf(comparison) + 1;
  const isRepeated =
    source === 'STATUS_CODE' || source === 'RESPONSE_TIME' || (passed && comparison === 'EQUALS' && actual === target);
  const kept = isRepeated || actual === null ? 0 : passed ? actual.slice(0, keptOfPassed) : actual;
  return trimmed([
    passed ? code : -code,
    target || 0,
    property || 0,
    kept,
    regex ?? 0,
    problem ?? 0,
    among ?? 0,
    isEvery === true ? 1 : 0,
  ]);
}

/**
 * Decodes the output of `encodeAssertion`.
 *
 * @param known values stored elsewhere in the result: status and response time
 */
export function decodeAssertion(
  list: readonly JsonValue[],
  known: (source: AssertionSource) => string | null,
): AssertionOutcome {
  const code = typeof list[0] === 'number' ? list[0] : 0;
  const index = Math.abs(code) - 1;
  const source = sources[Math.floor(index / comparisons.length)] ?? 'STATUS_CODE';
  const comparison = comparisons[index % comparisons.length] ?? 'EQUALS';
  const target = textOrNull(list[1]) ?? '';
  const passed = code > 0;
  const asserted = { source, comparison, property: textOrNull(list[2]) ?? '', target, regex: textOrNull(list[4]) };
  const problem = textOrNull(list[5]);
  const same = passed && problem === null && comparison === 'EQUALS' ? target : null;
  const outcome = { passed, actual: known(source) ?? textOrNull(list[3]) ?? same, problem };
  const among = textOrNull(list[6]);
  const isEvery = list[7] === 1;
  const several = { ...(among !== null && { among }), ...(isEvery && { isEvery }) };
  return { ...asserted, ...outcome, ...several, message: sentence(asserted, { ...outcome, ...several }) };
}

/** Removes the time from an outcome if the run was delayed by Tocsin. */
export function withoutTime(outcome: AssertionOutcome): AssertionOutcome {
  if (outcome.source !== 'RESPONSE_TIME') return outcome;
  return { ...outcome, actual: null, problem: 'Tocsin was too busy to measure it' };
}

/** Removes trailing zeros. */
export function trimmed(list: readonly JsonValue[]): JsonValue[] {
  return list.slice(0, list.findLastIndex((item) => item !== 0) + 1);
}
