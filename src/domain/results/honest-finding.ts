// A probe measures in a thread that other probes use, too: what that may have added to its times is not believed
// (design: Honest figures, Honest gaps).
import type { JsonValue } from '../json.ts';
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
 * A finding with the hold-up of its thread. Times that may contain our own delay are left out. The verdict is withheld only
 * where it rests on them: a status, a refused connection or a wrong body was seen, however late.
 *
 * @param withoutTimes takes the times out of the details, whose shape belongs to the check type
 */
export function honestFinding(
  { timeMarginMs, steps: _steps, ...finding }: Finding,
  heldUp: HeldUp,
  withoutTimes: (details: JsonValue) => JsonValue,
): Finding {
  const { addedMs } = heldUp;
  const tookMs = finding.responseTimeMs ?? finding.stoppedAt - finding.startedAt;
  const isOurs = addedMs > Math.max(withinTimeMs, tookMs / 5);
  const timed = { ...finding, loopDelayMs: heldUp.longestMs };
  const seen = isOurs ? { ...timed, responseTimeMs: null, details: withoutTimes(finding.details) } : timed;
  if (timeMarginMs === undefined) return seen;
  if (addedMs <= timeMarginMs) return isOurs ? withDelay(seen, addedMs) : seen;
  const message = `no verdict: Tocsin itself was delayed by up to ${Math.round(addedMs)} ms during this run`;
  return { ...seen, verdict: 'unknown', reason: 'observer-slow', message };
}

/** A verdict that stands although its sentence may contain a time that was left out. */
function withDelay(finding: Finding, addedMs: number): Finding {
  const message = `${finding.message} (Tocsin itself was delayed by up to ${Math.round(addedMs)} ms)`;
  return { ...finding, message: finding.message === null ? null : message };
}
