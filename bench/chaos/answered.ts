// Holds recorded results against what the targets have on their own record: none is invented, none turned round, and where no
// fault was none is missing.
import type { Answered } from '../peers/chaos-target.ts';
import type { Installation } from './installation.ts';
import type { Verdict } from './verdict.ts';
import type { RecordedResult } from './recorded.ts';
import { maxResumeMs, type Span } from './resumed.ts';
import { degradedAboveMs, intervalMs } from './script.ts';

type ByCheck = ReadonlyMap<string, readonly RecordedResult[]>;

/** Clocks of processes are set by that of the database, which is this machine's too: they may differ by so much, ms. */
export const clocksWithinMs = 250;
/** A slot that begins so long before a fault is over when it comes, ms. */
const overWithinMs = 5000;
/** Slots that may go without a verdict where no fault was, one in so many: the machine is held up at times. */
const verdictsForAGap = 20;
const outcomeOf = { passing: 'passed', failing: 'failed', slow: 'degraded' } as const;

/** Every verdict has an answer at its time, and is the one that follows from it. */
export function judgeAnswers({ checkIds }: Installation, byCheck: ByCheck, answered: readonly Answered[]): Verdict {
  const breaches: string[] = [];
  let [tried, late] = [0, 0];
  const byIndex = Map.groupBy(answered, ({ index }) => index);
  for (const [index, checkId] of checkIds.entries()) {
    const answers = byIndex.get(index) ?? [];
    for (const result of byCheck.get(checkId) ?? []) {
      if (isGap(result)) continue;
      tried++;
      const { outcome, startedAt, stoppedAt } = result;
      const [from, to] = [startedAt - clocksWithinMs, stoppedAt + clocksWithinMs];
      const given = answers.filter(({ at }) => at >= from && at <= to).map(({ answer }) => answer);
      const isLate = given.includes('passing') && isLateFor(result);
      if (given.some((answer) => outcomeOf[answer] === outcome)) continue;
      if (isLate) late++;
      else
        breaches.push(
          `check ${index} was ${outcome} at ${startedAt}, its target ${given.length === 0 ? 'was not asked' : `answered ${given.join(', ')}`}`,
        );
    }
  }
  return { promise: `a verdict is what the target answered (${late} found late)`, tried, breaches };
}

/** A machine that is too busy may find a good answer slow, if it waited for it; it may never find a bad one good. */
function isLateFor({ outcome, startedAt, stoppedAt }: RecordedResult): boolean {
  return outcome === 'degraded' && stoppedAt - startedAt >= degradedAboveMs;
}

/** Slots that no storm touched have verdicts. @param storms the oldest first */
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
  const breaches = gaps.map(({ checkId, outcome, at }) => `${outcome}: the slot of ${checkId} at ${at}`);
  return {
    promise: `slots that no fault touched have verdicts (${gaps.length} have none)`,
    tried: calm.length,
    breaches: gaps.length * verdictsForAGap > calm.length ? breaches : [],
  };
}

function isGap({ outcome }: Pick<RecordedResult, 'outcome'>): boolean {
  return outcome === 'missed' || outcome === 'unknown';
}
