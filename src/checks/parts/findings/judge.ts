// The parts of a verdict that all kinds share: failed assertions, then response time (decisions: Checks).
import { bareFinding, type Finding, type Reason, type Verdict } from '#domain/results/result.ts';
import type { Assertion } from '../assertions/assertion.ts';
import { type Outcome, sentence } from '../assertions/sentence.ts';
import type { AssertionOutcome } from '../assertions/stored.ts';
import { spoken } from '../connection/fault.ts';
import type { VariableUse } from '../placeholders.ts';

/** A verdict with its reason and message. */
export interface Judged {
  readonly verdict: Verdict;
  readonly reason: Reason | null;
  readonly message: string | null;
  /** Delay by Tocsin, in ms, that would not change the verdict. Absent = it does not depend on time. */
  readonly timeMarginMs?: number;
  /** Name without an answer, which may be the fault of our name servers. Absent = none. */
  readonly unresolved?: string;
}

export function failed(reason: Reason, message: string): Judged {
  return { verdict: 'failed', reason, message };
}

/** Judges assertions. The message is about the first failed one and counts the others. Returns null if all hold. */
export function judgeAssertions(assertions: readonly Assertion[], outcomes: readonly Outcome[]): Judged | null {
  const broken = assertions.flatMap((assertion, index) => {
    const outcome = outcomes[index];
    return outcome === undefined || outcome.passed ? [] : [{ assertion, outcome }];
  });
  // Assertions that Tocsin could not evaluate must not hide real failures.
  const wrong = broken.filter(({ outcome }) => outcome.isOurs !== true);
  // Prefer assertions that do not depend on a time, which may include our own delay.
  const timeless = wrong.filter(({ assertion }) => assertion.source !== 'RESPONSE_TIME');
  const [first = wrong[0] ?? broken[0]] = timeless;
  if (first === undefined) return null;
  if (wrong.length === 0) {
    return { verdict: 'unknown', reason: 'observer-slow', message: sentence(first.assertion, first.outcome) };
  }
  const others = broken.length > 1 ? ` (and ${broken.length - 1} more failed)` : '';
  const judged = failed('assertion', sentence(first.assertion, first.outcome) + others);
  if (timeless.length > 0) return judged;
  const margins = wrong.map(({ assertion, outcome }) => marginOf(assertion, outcome));
  return { ...judged, timeMarginMs: Math.max(...margins) };
}

/** By how many ms a time exceeds its assertion. */
function marginOf({ comparison, target }: Assertion, { actual }: Outcome): number {
  return comparison === 'LESS_THAN' ? Math.max(0, Number(actual) - Number(target)) : 0;
}

/** Judges the response time. All values in ms. */
export function judgeTime(
  ms: number,
  limits: { readonly degradedResponseTime: number; readonly maxResponseTime: number },
): Judged {
  const { maxResponseTime, degradedResponseTime } = limits;
  if (ms > maxResponseTime) {
    const message = `answered after ${spokenAbove(ms, maxResponseTime)}, more than the ${spoken(maxResponseTime)} allowed`;
    return { ...failed('slow', message), timeMarginMs: ms - maxResponseTime };
  }
  if (ms > degradedResponseTime) {
    const message = `answered after ${spokenAbove(ms, degradedResponseTime)}, degraded above ${spoken(degradedResponseTime)}`;
    return { verdict: 'degraded', reason: 'slow', message, timeMarginMs: ms - degradedResponseTime };
  }
  return { verdict: 'passed', reason: null, message: null };
}

/** A time above a limit, in few digits, but never that of the limit. */
function spokenAbove(ms: number, limitMs: number): string {
  const brief = spoken(ms < 1000 ? ms : Math.ceil(ms / 10) * 10);
  return brief === spoken(limitMs) ? `${Math.ceil(ms)} ms` : brief;
}

/** Returns assertions with their outcomes for results. @param hide masks values that must not be shown */
export function outcomesOf(
  assertions: readonly Assertion[],
  outcomes: readonly Outcome[],
  hide: (text: string) => string,
): AssertionOutcome[] {
  return outcomes.flatMap((outcome, index) => {
    const assertion = assertions[index];
    if (assertion === undefined) return [];
    const { source, comparison, regex } = assertion;
    const { isOurs: _isOurs, ...came } = outcome;
    const shown = { property: hide(assertion.property), target: hide(assertion.target), regex: hide(regex) || null };
    return [{ source, comparison, ...shown, ...came, message: '' }];
  });
}

/** A variable that settings use but that is not defined. This says nothing about the target. */
export class MissingVariable {
  readonly message: string;

  constructor({ path, name }: VariableUse) {
    this.message = `${path} uses {{${name}}}, which is not defined for this check, its group or its account`;
  }
}

/** Returns the first use of an undefined variable, or null. */
export function missingVariable(
  uses: readonly VariableUse[],
  values: { has(name: string): boolean },
): MissingVariable | null {
  const use = uses.find(({ name }) => !values.has(name));
  return use === undefined ? null : new MissingVariable(use);
}

/** Why settings cannot be probed. Messages may be shown. */
export type NoProbe = string | MissingVariable;

export function isNoProbe(plan: object | NoProbe): plan is NoProbe {
  return typeof plan === 'string' || plan instanceof MissingVariable;
}

/** The finding for settings that cannot be probed. */
export function wrongSettings(startedAt: number, problem: NoProbe): Finding {
  if (typeof problem === 'string') return bareFinding(startedAt, failed('settings', problem));
  return bareFinding(startedAt, { verdict: 'unknown', reason: 'settings', message: problem.message });
}
