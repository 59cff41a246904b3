// Ticks of each pipeline step on schedules in simulated time, with the product's own statements.
import { planRuns, type RunPlan } from '#domain/checks/plan-runs.ts';
import { maintenanceOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { createRecordResults } from '#pipeline/record-results.ts';
import type { ClaimedRun } from '#store/path/path.ts';
import { type Churned, leaseMs, perStep } from './churn.ts';

const location = 'local';

/** A tick of the scheduler. @param made selects the planned runs to create; default: all */
export function schedule({ now, path }: Churned, made = (runs: RunPlan['runs']): RunPlan['runs'] => runs) {
  return path.scheduleDue({
    now,
    max: perStep,
    plan: (due) => {
      const plan = planRuns(due, now, [location]);
      return { ...plan, runs: made(plan.runs) };
    },
    missedReason: () => 'overload',
  });
}

/** A runner's claim. */
export async function claim({ now, path }: Churned, owner: string): Promise<readonly ClaimedRun[]> {
  return (await path.claimRuns({ location, owner, now, leaseMs, max: perStep })).runs;
}

/** Records runs as passed, like the recording step. Rejects if one is not recorded. */
export async function record(churned: Churned, claimed: readonly ClaimedRun[], owner: string): Promise<void> {
  const { path } = churned;
  let lost: unknown = null;
  const step = createRecordResults({
    store: path,
    clock: { now: () => churned.now },
    owner,
    locations: () => ['local'],
    render: () => ({ error: 'there are no channels' }),
    statusOf: () => 200,
    onRecorded: (_, { isRecorded }) => (lost ??= isRecorded ? null : new Error('a run was not recorded')),
    onError: (error) => (lost ??= error),
  });
  const finding: Finding = {
    ...bareFinding(churned.now, { verdict: 'passed', reason: null, message: null }),
    stoppedAt: churned.now + 12,
    responseTimeMs: 12.345,
  };
  const rulesOf = (context: CheckContext) => stateRulesOf(context, [location], maintenanceOf(context, churned.now));
  const recorded = claimed.map(({ run, context }) => {
    if (context === null) throw new Error('a claimed run has no check');
    return step.record({ run, context, finding, outcome: 'passed', retry: null, rules: rulesOf(context) });
  });
  await Promise.all(recorded);
  if (lost !== null) throw lost;
}
