// The content of results, as the show part of their kind presents it.
import { type Evidence, phaseLabels } from '#checks/show.ts';
import type { AnswerOf } from '#contract/operations.ts';
import { bytes, day, milliseconds } from '../text/format.ts';
import { showOf } from './kind.ts';

export type Result = AnswerOf<'getCheckResult'>;

const format = { milliseconds, bytes, day };

/** Built once for each result. */
const built = new WeakMap<Result, Evidence>();

/** The content of a result; empty for a missed run. */
export function evidenceOf(result: Result): Evidence {
  const known = built.get(result);
  if (known !== undefined) return known;
  // One member depends on the check type.
  const [, part] = Object.entries(result).find(([name]) => name.endsWith('CheckResult')) ?? [];
  const evidence: Evidence =
    part == null ? { sections: [], comparable: [] } : showOf(result.checkType).evidence(part as never, format);
  built.set(result, evidence);
  return evidence;
}

/** One part of a response time. */
export interface Phase {
  readonly name: string;
  readonly ms: number;
}

/** Durations of the phases in order. Phases that did not occur are omitted. */
export function phasesOf(result: Result): readonly Phase[] {
  return Object.entries(evidenceOf(result).timingPhases ?? {}).flatMap(([key, ms]) => {
    const name = phaseLabels[key];
    return name === undefined || ms === 0 ? [] : [{ name, ms }];
  });
}

const phaseOrders = [...new Set(Object.values(phaseLabels))];
const phaseColours = [6, 1, 2, 5, 3, 3, 3, 4];

/** Position of a phase among all, the same on every page. */
export function phaseOrder(name: string): number {
  return phaseOrders.indexOf(name);
}

/** The color token of a phase. */
export function phaseColour(name: string): string {
  return `var(--phase-${phaseColours[phaseOrder(name)] ?? 6})`;
}

/** The displayed response time, ms. null = not measured. */
export function shownTime(result: Result): number | null {
  const { timeMs, requestError = null } = evidenceOf(result);
  if (timeMs !== undefined) return timeMs;
  if (result.responseTime > 0) return result.responseTime;
  const total = phasesOf(result).reduce((sum, { ms }) => sum + ms, 0);
  return total > 0 && !result.hasErrors && requestError === null ? total : null;
}
