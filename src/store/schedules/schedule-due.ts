// Turns due schedules into runs: the decisions of `schedule-runs`, shared by all engines.
import type { RunPlan, Schedule } from '#domain/checks/plan-runs.ts';
import type { Reason } from '#domain/results/result.ts';
import { hourOf, isLate } from '#domain/results/roll-up.ts';
import { derivedIdBytes } from '#lib/id.ts';
import { type IdBytes, idText, latin1, parsed } from '../base/codec.ts';
import { outcomeCodes, reasonCodes, sourceCodes } from '../base/codes.ts';
import type { Counts } from '../base/counts.ts';
import type { DueSchedule } from './schedule-rounds.ts';
import type { ResultsTable, RunsTable } from '../base/tables/schema.ts';
import type { SchedulesTable } from '../base/tables/schedule-tables.ts';

/** Outcome of a scheduler tick. */
export interface Scheduled {
  readonly schedules: number;
  readonly runs: number;
  readonly missed: number;
  /** When the next schedule is due, epoch ms; now or earlier if more are due; null if there is none. */
  readonly nextDueAt: number | null;
  /** How late the oldest run of this tick was planned, ms. */
  readonly latestByMs: number;
}

/** Input for evaluating due schedules. Times are epoch ms. */
export interface ScheduleRules {
  readonly now: number;
  /** Maximum number of schedules per tick. */
  readonly max: number;
  readonly plan: (schedule: Schedule) => RunPlan;
  /** Why slots before this tick did not run. */
  readonly missedReason: (slotAt: number) => Reason;
}

/** Rows that a tick reads and writes. */
export interface ScheduleRows {
  /** How often the clock was set back. */
  readonly lap: number;
  /** Whether slots of this schedule are known to have neither a run nor an outcome. */
  isNew(row: SchedulesTable): boolean;
  /** Runs that an account may still start in the month of the tick; Infinity without a limit. */
  remaining(accountId: IdBytes): number;
  /**
   * false = this slot has a run or result already.
   * @param isNew that it has neither is known
   */
  insertRun(row: RunsTable, isNew: boolean): boolean;
  /** false = the slot has an outcome already. */
  insertMissed(row: ResultsTable): boolean;
  /** Marks an hour of a check whose roll-up may miss a result. @param startAt epoch ms */
  noteLate(accountId: IdBytes, checkId: IdBytes, startAt: number): void;
  /** All due schedules, in order. @param nextDueAt its first slot that is not planned, epoch ms */
  move(due: DueSchedule, nextDueAt: number): void;
  countUsage(accountId: IdBytes, runs: number): void;
}

/**
 * The ID of the run of a slot: planning it twice creates one run.
 * @param lap how often the clock was set back: slots of a repeated hour are different slots
 */
export function slotRunId(slotAt: number, checkId: string, location: string, lap: number): IdBytes {
  return lap === 0 ? derivedIdBytes(slotAt, checkId, location) : derivedIdBytes(slotAt, checkId, location, lap);
}

/** Inserts the runs and missed stretches of due schedules and moves them to their next slot. */
export function scheduleRows(
  rows: ScheduleRows,
  due: readonly DueSchedule[],
  rules: ScheduleRules,
  counts: Counts,
): Omit<Scheduled, 'nextDueAt'> {
  const budgets = new Map<string, Budget>();
  const { now } = rules;
  let runs = 0;
  let missed = 0;
  let latestByMs = 0;
  for (const each of due) {
    const { row } = each;
    const plan = rules.plan(scheduleOf(each));
    const slot = { row, checkId: idText(row.check_id), lap: rows.lap };
    for (const stretch of plan.missed) {
      missed += stretch.slots;
      const reason = rules.missedReason(stretch.slotAt);
      insertMissed(rows, { ...slot, ...stretch, reason, now }, counts);
    }
    const budget = budgetOf(rows, budgets, row.account_id);
    const isNew = rows.isNew(row);
    for (const run of plan.runs) {
      if (budget.used < budget.left) {
        if (!rows.insertRun(runRow(row, { ...slot, ...run }), isNew)) continue;
        budget.used++;
        counts.add(budget.accountId, run.slotAt, 'scheduled');
        runs++;
        latestByMs = Math.max(latestByMs, now - run.slotAt);
      } else {
        missed++;
        if (insertMissed(rows, { ...slot, ...run, slots: 1, reason: 'limit', now }, counts)) {
          counts.add(row.account_id, run.slotAt, 'limited');
        }
      }
    }
    rows.move(each, plan.nextDueAt);
  }
  for (const { accountId, used } of budgets.values()) if (used > 0) rows.countUsage(accountId, used);
  return { schedules: due.length, runs, missed, latestByMs };
}

/**
 * Whether only the scheduler has changed the row: then its slot is later than all previous ones. An edit, or setting
 * the clock back, can move a check back to a slot that already ran.
 */
export function isUntouched(row: SchedulesTable): boolean {
  return row.planned_to === row.next_due_at;
}

interface Budget {
  readonly accountId: IdBytes;
  readonly left: number;
  used: number;
}

/** Runs that an account may still start this month, and how many of them this tick used. */
function budgetOf(rows: ScheduleRows, budgets: Map<string, Budget>, accountId: IdBytes): Budget {
  const key = latin1(accountId);
  const known = budgets.get(key);
  if (known !== undefined) return known;
  const budget: Budget = { accountId, left: rows.remaining(accountId), used: 0 };
  budgets.set(key, budget);
  return budget;
}

interface Slot {
  readonly row: SchedulesTable;
  readonly checkId: string;
  readonly slotAt: number;
  readonly location: string;
  readonly lap: number;
}

function runRow({ account_id, check_id, interval_ms }: SchedulesTable, run: Slot & { dueAt: number }): RunsTable {
  return {
    account_id,
    id: slotRunId(run.slotAt, run.checkId, run.location, run.lap),
    check_id,
    location: run.location,
    source: sourceCodes.encode('SCHEDULER'),
    slot_at: run.slotAt,
    interval_ms,
    attempt: 1,
    due_at: run.dueAt,
    first_started_at: null,
    batch_id: null,
    available_at: run.dueAt,
    leased_by: null,
  };
}

interface Missed extends Slot {
  readonly slots: number;
  readonly reason: Reason;
  readonly now: number;
}

function insertMissed(rows: ScheduleRows, missed: Missed, counts: Counts): boolean {
  const { account_id, check_id, interval_ms } = missed.row;
  const isNew = rows.insertMissed({
    account_id,
    check_id,
    id: slotRunId(missed.slotAt, missed.checkId, missed.location, missed.lap),
    run_id: null,
    attempt: 1,
    outcome: outcomeCodes.encode('missed'),
    reason: reasonCodes.encode(missed.reason),
    message: missedMessage(missed.reason),
    location: missed.location,
    source: sourceCodes.encode('SCHEDULER'),
    slots: missed.slots,
    started_at: missed.now,
    duration_ms: 0,
    response_us: null,
    loop_delay_ms: 0,
    details: null,
    interval_ms,
  });
  if (!isNew) return false;
  if (isLate(missed.slotAt, missed.now)) rows.noteLate(account_id, check_id, hourOf(missed.slotAt));
  counts.addSlots(account_id, { ...missed, intervalMs: interval_ms }, missed.now, ['scheduled', 'missed']);
  return true;
}

const missedMessages: Partial<Record<Reason, string>> = {
  limit: 'not run: the account has used up its execution limit for this month',
  downtime: 'not run: Tocsin was not running',
  store: 'not run: the database could not be written',
  rollback: 'not recorded: data was rolled back by a restore',
  clock: "not run: this machine's clock was set forward, or the machine was suspended",
};

/** Why a slot did not run, in a sentence. */
export function missedMessage(reason: Reason): string {
  return missedMessages[reason] ?? 'not run: Tocsin was too busy to start it within its interval';
}

/** A due schedule, as input for planning. */
export function scheduleOf({ row, nextDueAt, until }: DueSchedule): Schedule {
  return {
    nextDueAt,
    until,
    intervalMs: row.interval_ms,
    phaseMs: row.phase_ms,
    locations: row.locations === '[]' ? [] : parsed<string[]>(row.locations),
    runParallel: row.run_parallel === 1,
  };
}
