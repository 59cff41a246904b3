// A probe measures in a thread that other probes use, too: what that may have added to its times is not believed
// (design: Honest figures, Honest gaps).
import type { Finding } from './result.ts';

/** How long the thread of a probe did something else meanwhile, ms. */
export interface HeldUp {
  readonly longestMs: number;
  /** What that may have added to the times of the probe: each step counts that was noted late. */
  readonly addedMs: number;
}

/** A delay of our own up to this changes no verdict over a timeout, and up to the half of a shorter limit, ms. */
export const withheldAboveMs = 500;
/** What may be in a response time without spoiling it, ms; of a longer time, a fifth of it. */
const withinTimeMs = 100;
/** How much delay of our own the verdict over a time limit can bear, ms. */
export function marginOfLimit(limitMs: number): number {
  return Math.min(withheldAboveMs, limitMs / 2);
}

/**
 * A finding with the hold-up of its thread. A response time that may contain our own delay is left out. The verdict is
 * withheld only where it rests on that time: a status, a refused connection or a wrong body was seen, however late.
 */
export function honestFinding({ timeMarginMs, steps: _steps, ...finding }: Finding, heldUp: HeldUp): Finding {
  const { addedMs } = heldUp;
  const { responseTimeMs } = finding;
  const isOurs = responseTimeMs !== null && addedMs > Math.max(withinTimeMs, responseTimeMs / 5);
  const seen = { ...finding, loopDelayMs: heldUp.longestMs, responseTimeMs: isOurs ? null : responseTimeMs };
  if (timeMarginMs === undefined || addedMs <= timeMarginMs) return seen;
  const message = `no verdict: Tocsin itself was delayed by up to ${Math.round(addedMs)} ms during this run`;
  return { ...seen, verdict: 'unknown', reason: 'observer-slow', message };
}
