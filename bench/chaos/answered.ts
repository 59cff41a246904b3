// Compares recorded results with the targets' own logs: no result is invented or wrong, and without faults none is
// missing.
import type { Answered } from '../peers/chaos-target.ts';
import type { Installation } from './installation.ts';
import type { Verdict } from './verdict.ts';
import type { RecordedResult } from './recorded.ts';
import { maxResumeMs, type Span } from './resumed.ts';
import { degradedAboveMs, intervalMs } from './script.ts';

type ByCheck = ReadonlyMap<string, readonly RecordedResult[]>;

/** Maximum clock difference between processes, ms: all follow the clock of the database on this machine. */
export const clocksWithinMs = 250;
/** A slot that begins this long before a fault is complete when the fault begins, ms. */
const overWithinMs = 5000;
/** Without faults, one in this many slots may lack a verdict, because the machine is sometimes delayed. */
const verdictsForAGap = 20;
const outcomeOf = { passing: 'passed', failing: 'failed', slow: 'degraded' } as const;

/** Every verdict matches a response at its time. */
export function judgeAnswers({ checkIds }: Installation, byCheck: ByCheck, answered: readonly Answered[]): Verdict {
  const violations: string[] = [];
  let [checked, late] = [0, 0];
  const byIndex = Map.groupBy(answered, ({ index }) => index);
  for (const [index, checkId] of checkIds.entries()) {
    const answers = byIndex.get(index) ?? [];
    for (const result of byCheck.get(checkId) ?? []) {
      if (isGap(result)) continue;
      checked++;
      const { outcome, startedAt, stoppedAt } = result;
      const [from, to] = [startedAt - clocksWithinMs, stoppedAt + clocksWithinMs];
      const given = answers.filter(({ at }) => at >= from && at <= to).map(({ answer }) => answer);
      const isLate = given.includes('passing') && isLateFor(result);
      if (given.some((answer) => outcomeOf[answer] === outcome)) continue;
      if (isLate) late++;
      else
        violations.push(
          `check ${index} was ${outcome} at ${startedAt}, its target ${given.length === 0 ? 'received no request' : `answered ${given.join(', ')}`}`,
        );
    }
  }
  return { guarantee: `every verdict matches the target's response (${late} found slow)`, checked, violations };
}

/** On a busy machine a good response may count as slow if the probe waited for it, but a bad one never as good. */
function isLateFor({ outcome, startedAt, stoppedAt }: RecordedResult): boolean {
  return outcome === 'degraded' && stoppedAt - startedAt >= degradedAboveMs;
}

/** Slots outside of storms have verdicts. @param storms oldest first */
export function judgeGaps(
  { checkIds }: Installation,
  results: readonly RecordedResult[],
  storms: readonly Span[],
  to: number,
): Verdict {
  const isCalm = ({ at }: { readonly at: number }): boolean =>
    at <= to - overWithinMs && storms.every((storm) => storm.from >= at + overWithinMs || storm.to + maxResumeMs <= at);
  const scripted = new Set(checkIds);
  const calm = results
    .filter(({ checkId, isScheduled }) => scripted.has(checkId) && isScheduled)
    .flatMap((result) =>
      Array.from({ length: result.slots }, (_, slot) => ({ ...result, at: result.at + slot * intervalMs })),
    )
    .filter(isCalm);
  const gaps = calm.filter(isGap);
  const violations = gaps.map(({ checkId, outcome, at }) => `${outcome}: the slot of ${checkId} at ${at}`);
  return {
    guarantee: `slots without faults have verdicts (${gaps.length} have none)`,
    checked: calm.length,
    violations: gaps.length * verdictsForAGap > calm.length ? violations : [],
  };
}

function isGap({ outcome }: Pick<RecordedResult, 'outcome'>): boolean {
  return outcome === 'missed' || outcome === 'unknown';
}
