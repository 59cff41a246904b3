// The parts of a verdict that all kinds share: broken assertions, then the response time (decisions: Checks).
import { bareFinding, type Finding, type Reason, type Verdict } from '#domain/result.ts';
import type { Assertion } from '../assertions/assertion.ts';
import type { Outcome } from '../assertions/evaluate.ts';
import { sentence } from '../assertions/sentence.ts';
import type { AssertionOutcome } from '../assertions/stored.ts';
import { spoken } from '../connection/fault.ts';

/** A verdict with its reason and its sentence. */
export interface Judged {
  readonly verdict: Verdict;
  readonly reason: Reason | null;
  readonly message: string | null;
}

/** The verdict of what is not as it should be. */
export function failed(reason: Reason, message: string): Judged {
  return { verdict: 'failed', reason, message };
}

/** What the first assertion that does not hold expected and got, and how many others do not hold; null = all hold. */
export function brokenAssertions(assertions: readonly Assertion[], outcomes: readonly Outcome[]): string | null {
  const index = outcomes.findIndex(({ passed }) => !passed);
  const assertion = assertions[index];
  const outcome = outcomes[index];
  if (assertion === undefined || outcome === undefined) return null;
  const others = outcomes.filter(({ passed }) => !passed).length - 1;
  return sentence(assertion, outcome) + (others > 0 ? ` (and ${others} more failed)` : '');
}

/** Passed, degraded or failed by the response time alone; all of it in ms. */
export function judgeTime(
  ms: number,
  limits: { readonly degradedResponseTime: number; readonly maxResponseTime: number },
): Judged {
  const { maxResponseTime, degradedResponseTime } = limits;
  if (ms > maxResponseTime)
    return failed('slow', `answered after ${spoken(ms)}, more than the ${spoken(maxResponseTime)} allowed`);
  if (ms > degradedResponseTime) {
    const message = `answered after ${spoken(ms)}, degraded above ${spoken(degradedResponseTime)}`;
    return { verdict: 'degraded', reason: 'slow', message };
  }
  return { verdict: 'passed', reason: null, message: null };
}

/** Assertions with how they came out, as results show them. @param hide takes out what may not be shown */
export function outcomesOf(
  assertions: readonly Assertion[],
  outcomes: readonly Outcome[],
  hide: (text: string) => string,
): AssertionOutcome[] {
  return outcomes.flatMap((outcome, index) => {
    const assertion = assertions[index];
    if (assertion === undefined) return [];
    const { source, comparison, regex } = assertion;
    const shown = { property: hide(assertion.property), target: hide(assertion.target), regex: hide(regex) || null };
    return [{ source, comparison, ...shown, ...outcome, message: '' }];
  });
}

/** The finding of settings that make no probe. */
export function wrongSettings(startedAt: number, message: string): Finding {
  return bareFinding(startedAt, failed('settings', message));
}
