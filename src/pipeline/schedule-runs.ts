// Creates runs of due checks: one per check, location and slot. Records slots that can no longer run as missed
// (docs/decisions/0010; when the clock is set: docs/decisions/0016).
import { planRuns, type RunPlan, type Schedule } from '#domain/checks/plan-runs.ts';
import { missedReason } from '#domain/results/missed-reason.ts';
import type { Reason } from '#domain/results/result.ts';
import type { FollowedClock } from '#lib/followed-clock.ts';
import { createOutages } from '#lib/outages.ts';

interface ScheduleStore {
  scheduleDue(rules: {
    readonly now: number;
    readonly max: number;
    readonly plan: (schedule: Schedule) => RunPlan;
    readonly missedReason: (slotAt: number) => Reason;
  }): Promise<{
    readonly schedules: number;
    readonly runs: number;
    readonly missed: number;
    readonly nextDueAt: number | null;
    readonly latestByMs: number;
  }>;
}

/** Checks that run once outside their schedule: new ones, and those with a new target. */
interface FirstRunStore {
  start(
    now: number,
    servedLocations: readonly string[],
  ): Promise<{
    readonly runs: number;
    readonly nextDueAt: number | null;
  }>;
}

export interface ScheduleRunsOptions {
  readonly store: ScheduleStore;
  readonly firstRuns: FirstRunStore;
  readonly clock: Pick<FollowedClock, 'now' | 'lastSet'> & Partial<Pick<FollowedClock, 'setBackMs'>>;
  /** Available run locations; the first is used for checks without a location. */
  readonly locations: () => readonly string[];
  /** When this process started scheduling, epoch ms: earlier slots are `downtime`. */
  readonly startedAt: number;
  /** Period whose data a restore removed, epoch ms: slots in it are `rollback`; null = none. */
  readonly rollback?: { readonly from: number; readonly to: number } | null;
  /** Called after runs were created. */
  readonly wake: () => void;
  readonly onScheduled?: (done: {
    readonly runs: number;
    readonly missed: number;
    readonly latestByMs: number;
  }) => void;
}

const schedulesPerTick = 500;
const idleMs = 1000;
/** Slots this close together are planned and started together, to share claims and commits. */
const roundMs = 10;

/** One tick of the step. Returns the delay until the next schedule is due, ms. */
export function createScheduleRuns(options: ScheduleRunsOptions): () => Promise<number> {
  const { store, firstRuns, clock, locations, startedAt, rollback = null } = options;
  const outages = createOutages(clock);
  const reasonOf = (slotAt: number): Reason =>
    missedReason(
      { from: slotAt, to: slotAt },
      {
        startedAt: startedAt - (clock.setBackMs ?? 0),
        rollback,
        clockSet: clock.lastSet,
        isStoreAway: outages.touches,
      },
    );

  return async () => {
    const now = clock.now();
    const plan = (schedule: Schedule): RunPlan => planRuns(schedule, now, locations());
    const done = await outages.watch(() =>
      store.scheduleDue({ now, max: schedulesPerTick, plan, missedReason: reasonOf }),
    );
    const first = await outages.watch(() => firstRuns.start(now, locations()));
    if (done.runs + first.runs > 0) options.wake();
    if (done.schedules > 0) options.onScheduled?.(done);
    const nextDueAt = Math.min(done.nextDueAt ?? Number.POSITIVE_INFINITY, first.nextDueAt ?? Number.POSITIVE_INFINITY);
    if (nextDueAt === Number.POSITIVE_INFINITY) return idleMs;
    return nextDueAt <= now ? 0 : Math.max(roundMs, nextDueAt - clock.now());
  };
}
