// Discards response times that delays in Tocsin's own probe thread may have distorted (design: Honest figures, Honest
// gaps).
import type { JsonValue } from '../json.ts';
import type { Finding } from './result.ts';

/** How long the thread of a probe was blocked meanwhile, ms. */
export interface ThreadDelay {
  readonly longestMs: number;
  /** How much that may have added to the measured times: every late event counts. */
  readonly addedMs: number;
}

/** A delay up to this changes no verdict on a timeout, nor one up to half of a shorter limit, ms. */
export const withheldAboveMs = 500;
/** Tolerated delay in a response time, ms; for longer times a fifth of the time. */
const withinTimeMs = 100;
/** The delay that a verdict on a time limit tolerates, ms. */
export function marginOfLimit(limitMs: number): number {
  return Math.min(withheldAboveMs, limitMs / 2);
}

/**
 * Applies the delay of its thread to a finding. Removes times that may include the delay. Withholds the verdict only if
 * it depends on them: a status, refused connection or wrong body is certain however late.
 * @param withoutTimes removes the times from the details, whose shape depends on the check type
 */
export function honestFinding(
  { timeMarginMs, steps: _steps, ...finding }: Finding,
  threadDelay: ThreadDelay,
  withoutTimes: (details: JsonValue) => JsonValue,
): Finding {
  const { addedMs } = threadDelay;
  const tookMs = finding.responseTimeMs ?? finding.stoppedAt - finding.startedAt;
  const isOurs = addedMs > Math.max(withinTimeMs, tookMs / 5);
  const timed = { ...finding, loopDelayMs: threadDelay.longestMs };
  const seen = isOurs ? { ...timed, responseTimeMs: null, details: withoutTimes(finding.details) } : timed;
  if (timeMarginMs === undefined) return seen;
  if (addedMs <= timeMarginMs) return isOurs ? withDelay(seen, addedMs) : seen;
  const message = `no verdict: Tocsin itself was delayed by up to ${Math.round(addedMs)} ms during this run`;
  return { ...seen, verdict: 'unknown', reason: 'observer-slow', message };
}

/**
 * Applies the state of our name servers to a finding. If none of them answers, an unresolved name says nothing about
 * the target (docs/decisions/0139).
 */
export function findingWithResolver(
  { unresolved: _unresolved, ...finding }: Finding,
  isResolverDown: boolean,
): Finding {
  if (!isResolverDown || finding.verdict === 'unknown') return finding;
  return { ...finding, verdict: 'unknown', reason: 'resolver', message: noResolver };
}

const noResolver = 'no verdict: a name could not be resolved because no name server of this machine answers';

/** A verdict that remains valid although its message may mention a removed time. */
function withDelay(finding: Finding, addedMs: number): Finding {
  const message = `${finding.message} (Tocsin itself was delayed by up to ${Math.round(addedMs)} ms)`;
  return { ...finding, message: finding.message === null ? null : message };
}
