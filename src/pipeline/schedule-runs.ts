// Due checks become runs: one per check, location and slot; slots that can no longer be run are recorded as missed
// (docs/decisions/0010; when the clock is set: docs/decisions/0016).
import { planRuns, type RunPlan, type Schedule } from '#domain/checks/plan-runs.ts';
import type { Reason } from '#domain/results/result.ts';
import type { FollowedClock } from '#lib/followed-clock.ts';
import { createOutages } from '#lib/outages.ts';

/** What this step needs of the store. */
interface ScheduleStore {
  scheduleDue(rules: {
    readonly now: number;
    readonly most: number;
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

/** Checks that run once, outside their slots: new ones, and those that were given another target. */
interface FirstRunStore {
  start(
    now: number,
    servedLocations: readonly string[],
  ): Promise<{
    readonly runs: number;
    readonly nextDueAt: number | null;
  }>;
}

/** What the step is joined with. */
export interface ScheduleRunsOptions {
  readonly store: ScheduleStore;
  readonly firstRuns: FirstRunStore;
  readonly clock: Pick<FollowedClock, 'now' | 'lastSet'>;
  /** Run locations that are served; the first is where checks run that name none. */
  readonly locations: () => readonly string[];
  /** When this process began to schedule, epoch ms: slots before it are `downtime`. */
  readonly startedAt: number;
  /** The time whose data a restore took away, epoch ms: slots in it are `rollback`; null = there is none. */
  readonly rollback?: { readonly from: number; readonly to: number } | null;
  /** Told of new runs. */
  readonly wake: () => void;
  readonly onScheduled?: (done: {
    readonly runs: number;
    readonly missed: number;
    readonly latestByMs: number;
  }) => void;
}

const schedulesPerTurn = 500;
const idleMs = 1000;
/** Slots this close together are planned, and started, together: their claims and commits are shared. */
const roundMs = 10;

/** One turn of the step, answering in how many ms the next schedule is due. */
export function createScheduleRuns(options: ScheduleRunsOptions): () => Promise<number> {
  const { store, firstRuns, clock, locations, startedAt, rollback = null } = options;
  const outages = createOutages(clock);
  const missedReason = (slotAt: number): Reason => {
    if (rollback !== null && slotAt >= rollback.from && slotAt <= rollback.to) return 'rollback';
    if (slotAt < startedAt) return 'downtime';
    const set = clock.lastSet;
    return set !== null && slotAt >= set.from - idleMs && slotAt <= set.to
      ? 'clock'
      : outages.touches(slotAt, slotAt)
        ? 'store'
        : 'overload';
  };

  return async () => {
    const now = clock.now();
    const plan = (schedule: Schedule): RunPlan => planRuns(schedule, now, locations());
    const done = await outages.watch(() => store.scheduleDue({ now, most: schedulesPerTurn, plan, missedReason }));
    const first = await outages.watch(() => firstRuns.start(now, locations()));
    if (done.runs + first.runs > 0) options.wake();
    if (done.schedules > 0) options.onScheduled?.(done);
    const nextDueAt = Math.min(done.nextDueAt ?? Number.POSITIVE_INFINITY, first.nextDueAt ?? Number.POSITIVE_INFINITY);
    if (nextDueAt === Number.POSITIVE_INFINITY) return idleMs;
    return nextDueAt <= now ? 0 : Math.max(roundMs, nextDueAt - clock.now());
  };
}
