// What a span of time came to at one check and location: outcomes counted, time known and unknown, response times as a
// sketch. Sums of sums: hours merge into days, and either into any range.
import type { Outcome } from './result.ts';
import { addToSketch, emptySketch, mergeSketch, type Sketch } from './sketch.ts';

export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** How long roll-ups are kept, in days. */
export const hoursKeptDays = 90;
export const daysKeptDays = 731;

/**
 * How long after its end an hour is rolled up, ms. Results that are recorded later than `lateAfterMs` after it say so by
 * a mark. The time between the two is what clocks of processes may differ by, and what a commit may take.
 */
export const closedAfterMs = 180_000;
export const lateAfterMs = 60_000;

/** The start of the hour that holds `at`; both epoch ms. */
export function hourOf(at: number): number {
  return Math.floor(at / hourMs) * hourMs;
}

/** The start of the UTC day that holds `at`; both epoch ms. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs) * dayMs;
}

/** Whether what is recorded at `now` of a slot at `at` may come after its hour was rolled up. Both epoch ms. */
export function isLate(at: number, now: number): boolean {
  return now >= hourOf(at) + hourMs + lateAfterMs;
}

/** Response times, µs. */
export interface Responses {
  count: number;
  sum: number;
  sumOfSquares: number;
  /** Infinity of none. */
  least: number;
  most: number;
  readonly sketch: Sketch;
}

/** Outcomes are slots for `missed`, final results for the others; times in ms. */
export interface RollUp {
  passed: number;
  degraded: number;
  failed: number;
  unknown: number;
  missed: number;
  /** Attempts that were tried again. */
  retries: number;
  /** Intervals of slots with a verdict, in sum. */
  knownMs: number;
  /** Of it, those that failed. */
  downMs: number;
  /** Intervals of slots without a verdict: unknown and missed. */
  unknownMs: number;
  /** Of passed and degraded results. */
  readonly responses: Responses;
  /** Of failed results. */
  readonly failedResponses: Responses;
}

export function emptyResponses(): Responses {
  return { count: 0, sum: 0, sumOfSquares: 0, least: Number.POSITIVE_INFINITY, most: 0, sketch: emptySketch() };
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

/** A result, as far as it counts. */
export interface CountedResult {
  /** false = an attempt that was tried again. */
  readonly isFinal: boolean;
  readonly outcome: Outcome;
  readonly slots: number;
  /** Length of a slot; null of a run on demand, which stands for no time. */
  readonly intervalMs: number | null;
  readonly responseUs: number | null;
}

/** Takes up a result. A stretch of missed slots counts with all of them. */
export function addResult(rollUp: RollUp, { isFinal, outcome, slots, intervalMs, responseUs }: CountedResult): void {
  if (!isFinal) {
    rollUp.retries++;
    return;
  }
  rollUp[outcome] += slots;
  const standsForMs = slots * (intervalMs ?? 0);
  if (outcome === 'unknown' || outcome === 'missed') {
    rollUp.unknownMs += standsForMs;
    return;
  }
  rollUp.knownMs += standsForMs;
  if (outcome === 'failed') rollUp.downMs += standsForMs;
  if (responseUs !== null) addResponse(outcome === 'failed' ? rollUp.failedResponses : rollUp.responses, responseUs);
}

function addResponse(responses: Responses, us: number): void {
  responses.count++;
  responses.sum += us;
  responses.sumOfSquares += us * us;
  if (us < responses.least) responses.least = us;
  if (us > responses.most) responses.most = us;
  addToSketch(responses.sketch, us);
}

/** Takes up all that another one holds. */
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

/** Takes up all that another one holds. */
export function mergeResponses(into: Responses, other: Responses): void {
  into.count += other.count;
  into.sum += other.sum;
  into.sumOfSquares += other.sumOfSquares;
  into.least = Math.min(into.least, other.least);
  into.most = Math.max(into.most, other.most);
  mergeSketch(into.sketch, other.sketch);
}

/** Missed slots in a row, the first at `slotAt`, at one location. Times in ms, instants epoch ms. */
export interface Stretch {
  readonly location: string;
  readonly slotAt: number;
  readonly slots: number;
  readonly intervalMs: number;
}

/** Whether a stretch has slots beyond the hour in which it begins: then it is kept by itself, not in a roll-up. */
export function isLong({ slotAt, slots, intervalMs }: Omit<Stretch, 'location'>): boolean {
  return slots > 1 && hourOf(slotAt + (slots - 1) * intervalMs) !== hourOf(slotAt);
}

/** How many slots of a stretch lie in a span (epoch ms, `to` excluded). */
export function slotsWithin(
  { slotAt, slots, intervalMs }: Omit<Stretch, 'location'>,
  from: number,
  to: number,
): number {
  const before = (at: number): number => Math.min(slots, Math.max(0, Math.ceil((at - slotAt) / intervalMs)));
  return before(to) - before(from);
}
