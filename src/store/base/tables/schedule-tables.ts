// Tables of schedules.
import type { Flag, IdBytes } from '../codec.ts';

/** When a check is due next. A row exists while the check is scheduled. Older versions use its column `turn`. */
export interface SchedulesTable {
  account_id: IdBytes;
  check_id: IdBytes;
  /** Its oldest slot without an outcome; `inStep` = the round of its interval defines it (docs/decisions/0036). */
  next_due_at: number;
  interval_ms: number;
  phase_ms: number;
  /** Run location codes, JSON; [] = this server's own. */
  locations: string;
  run_parallel: Flag;
  /** `next_due_at` as last set by the scheduler (docs/decisions/0036). */
  planned_to: number | null;
}

/**
 * How far the schedules in step of an interval are planned: all of them up to `planned_to`, and in a round in progress
 * those up to a position in its order (slot, account, check) up to `round_to`.
 */
export interface ScheduleRoundsTable {
  interval_ms: number;
  planned_to: number;
  round_to: number | null;
  at_slot: number | null;
  at_account: IdBytes | null;
  at_check: IdBytes | null;
}

/** Checks that run once outside their schedule, and from when on. */
export interface FirstRunsTable {
  account_id: IdBytes;
  check_id: IdBytes;
  due_at: number;
}

export interface ScheduleTables {
  first_runs: FirstRunsTable;
  schedules: SchedulesTable;
  schedule_rounds: ScheduleRoundsTable;
}
