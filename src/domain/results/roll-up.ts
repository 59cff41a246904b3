// Results of a time range at one check and location: counted outcomes, known and unknown time, response times as a
// sketch. Roll-ups can be merged: hours into days, and any of them into a range.
import type { Outcome } from './result.ts';
import { addToSketch, emptySketch, mergeSketch, type Sketch } from './sketch.ts';

export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** Retention of roll-ups, in days. */
export const hourRetentionDays = 90;
export const dayRetentionDays = 731;

/**
 * How long after its end an hour is rolled up, ms. Results recorded more than `lateAfterMs` after it are marked. The
 * difference covers clock skew between processes and the duration of a commit.
 */
export const closedAfterMs = 180_000;
export const lateAfterMs = 60_000;

/** Start of the hour that contains `at`; both epoch ms. */
export function hourOf(at: number): number {
  return Math.floor(at / hourMs) * hourMs;
}

/** Start of the UTC day that contains `at`; both epoch ms. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs) * dayMs;
}

/** Whether a result recorded at `now` for a slot at `at` may come after its hour was rolled up. Both epoch ms. */
export function isLate(at: number, now: number): boolean {
  return now >= hourOf(at) + hourMs + lateAfterMs;
}

/** Response times, µs. */
export interface Responses {
  count: number;
  sum: number;
  sumOfSquares: number;
  /** Infinity if empty. */
  least: number;
  max: number;
  readonly sketch: Sketch;
}

/** Outcomes count slots for `missed`, final results for the others; times in ms. */
export interface RollUp {
  passed: number;
  degraded: number;
  failed: number;
  unknown: number;
  missed: number;
  /** Attempts that were retried. */
  retries: number;
  /** Total interval of slots with a verdict. */
  knownMs: number;
  /** Part of it that failed. */
  downMs: number;
  /** Total interval of slots without a verdict: unknown and missed. */
  unknownMs: number;
  /** Response times of passed and degraded results. */
  readonly responses: Responses;
  /** Response times of failed results. */
  readonly failedResponses: Responses;
}

/** Time of slots with and without a verdict, and of failures, ms. */
export type SlotTimes = Readonly<Pick<RollUp, 'knownMs' | 'downMs' | 'unknownMs'>>;

export const noTimes: SlotTimes = { knownMs: 0, downMs: 0, unknownMs: 0 };

export function sumOfTimes(all: readonly SlotTimes[]): SlotTimes {
  const sum = { ...noTimes };
  for (const { knownMs, downMs, unknownMs } of all) {
    sum.knownMs += knownMs;
    sum.downMs += downMs;
    sum.unknownMs += unknownMs;
  }
  return sum;
}

export function emptyResponses(): Responses {
  return { count: 0, sum: 0, sumOfSquares: 0, least: Number.POSITIVE_INFINITY, max: 0, sketch: emptySketch() };
}

export function emptyRollUp(): RollUp {
  return {
    passed: 0,
    degraded: 0,
    failed: 0,
    unknown: 0,
    missed: 0,
    retries: 0,
    knownMs: 0,
    downMs: 0,
    unknownMs: 0,
    responses: emptyResponses(),
    failedResponses: emptyResponses(),
  };
}

/** The fields of a result that count. */
export interface CountedResult {
  /** false = an attempt that was retried. */
  readonly isFinal: boolean;
  readonly outcome: Outcome;
  readonly slots: number;
  /**
   * Length of a slot; null for a run on demand, which covers no time. Of a heartbeat, the time before the result;
   * negative = the check was then in the opposite state.
   */
  readonly intervalMs: number | null;
  readonly responseUs: number | null;
}

/** Adds a result. Consecutive missed slots all count. */
export function addResult(rollUp: RollUp, { isFinal, outcome, slots, intervalMs, responseUs }: CountedResult): void {
  if (!isFinal) {
    rollUp.retries++;
    return;
  }
  rollUp[outcome] += slots;
  const coveredMs = slots * Math.abs(intervalMs ?? 0);
  if (outcome === 'unknown' || outcome === 'missed') {
    rollUp.unknownMs += coveredMs;
    return;
  }
  rollUp.knownMs += coveredMs;
  if ((outcome === 'failed') === (intervalMs ?? 0) >= 0) rollUp.downMs += coveredMs;
  if (responseUs !== null) addResponse(outcome === 'failed' ? rollUp.failedResponses : rollUp.responses, responseUs);
}

function addResponse(responses: Responses, us: number): void {
  responses.count++;
  responses.sum += us;
  responses.sumOfSquares += us * us;
  if (us < responses.least) responses.least = us;
  if (us > responses.max) responses.max = us;
  addToSketch(responses.sketch, us);
}

/** Adds another roll-up. */
export function mergeRollUp(into: RollUp, other: RollUp): void {
  into.passed += other.passed;
  into.degraded += other.degraded;
  into.failed += other.failed;
  into.unknown += other.unknown;
  into.missed += other.missed;
  into.retries += other.retries;
  into.knownMs += other.knownMs;
  into.downMs += other.downMs;
  into.unknownMs += other.unknownMs;
  mergeResponses(into.responses, other.responses);
  mergeResponses(into.failedResponses, other.failedResponses);
}

/** Adds another distribution. */
export function mergeResponses(into: Responses, other: Responses): void {
  into.count += other.count;
  into.sum += other.sum;
  into.sumOfSquares += other.sumOfSquares;
  into.least = Math.min(into.least, other.least);
  into.max = Math.max(into.max, other.max);
  mergeSketch(into.sketch, other.sketch);
}

/** Consecutive missed slots at one location, the first at `slotAt`. Durations in ms, times epoch ms. */
export interface Stretch {
  readonly location: string;
  readonly slotAt: number;
  readonly slots: number;
  readonly intervalMs: number;
}

/** Whether the missed slots extend beyond the hour of the first: they are then stored separately from roll-ups. */
export function isLong({ slotAt, slots, intervalMs }: Omit<Stretch, 'location'>): boolean {
  return slots > 1 && hourOf(slotAt + (slots - 1) * intervalMs) !== hourOf(slotAt);
}

/** Number of missed slots in a time range (epoch ms, `to` exclusive). */
export function slotsWithin(
  { slotAt, slots, intervalMs }: Omit<Stretch, 'location'>,
  from: number,
  to: number,
): number {
  const before = (at: number): number => Math.min(slots, Math.max(0, Math.ceil((at - slotAt) / intervalMs)));
  return before(to) - before(from);
}
