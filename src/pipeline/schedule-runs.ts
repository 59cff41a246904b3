// Due checks become runs: one per check, location and slot; slots that can no longer be run are recorded as missed.
import { planRuns, type RunPlan, type Schedule } from '#domain/plan-runs.ts';
import type { Reason } from '#domain/result.ts';
import type { Clock } from '#lib/clock.ts';

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
  moveWithClock(byMs: number, now: number): Promise<void>;
}

/** What the step is joined with. */
export interface ScheduleRunsOptions {
  readonly store: ScheduleStore;
  readonly clock: Clock;
  /** A clock that is never set, ms. */
  readonly steadyNow: () => number;
  /** Run locations that are served; the first is this server's own. */
  readonly locations: readonly string[];
  /** When this process began to schedule, epoch ms: slots before it are `downtime`. */
  readonly startedAt: number;
  /** Told of new runs. */
  readonly wake: () => void;
  readonly onScheduled?: (done: {
    readonly runs: number;
    readonly missed: number;
    readonly latestByMs: number;
  }) => void;
  readonly onClockSet?: (byMs: number) => void;
}

const schedulesPerTurn = 500;
const idleMs = 1000;
/** Slots this close together are planned, and started, together: their claims and commits are shared. */
const roundMs = 10;
/** A difference between the two clocks that is a setting of the clock, not its slow correction. */
const clockSetMs = 2000;

/** One turn of the step, answering in how many ms the next schedule is due. */
export function createScheduleRuns(options: ScheduleRunsOptions): () => Promise<number> {
  const { store, clock, steadyNow, locations, startedAt } = options;
  let offset = clock.now() - steadyNow();
  let clockSetAt: { readonly from: number; readonly to: number } | null = null;

  const followClock = async (): Promise<void> => {
    // Whole milliseconds: instants in tables are.
    const byMs = Math.round(clock.now() - steadyNow() - offset);
    if (Math.abs(byMs) < clockSetMs) return;
    const now = clock.now();
    await store.moveWithClock(byMs, now);
    offset += byMs;
    clockSetAt = byMs > 0 ? { from: now - byMs, to: now } : null;
    options.onClockSet?.(byMs);
  };
  const missedReason = (slotAt: number): Reason => {
    if (slotAt < startedAt) return 'downtime';
    return clockSetAt !== null && slotAt >= clockSetAt.from - idleMs && slotAt <= clockSetAt.to ? 'clock' : 'overload';
  };

  return async () => {
    await followClock();
    const now = clock.now();
    const done = await store.scheduleDue({
      now,
      most: schedulesPerTurn,
      plan: (schedule) => planRuns(schedule, now, locations),
      missedReason,
    });
    if (done.runs > 0) options.wake();
    if (done.schedules > 0) options.onScheduled?.(done);
    if (done.schedules === schedulesPerTurn) return 0;
    return done.nextDueAt === null ? idleMs : Math.max(roundMs, done.nextDueAt - clock.now());
  };
}
