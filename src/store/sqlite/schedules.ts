// Due schedules become runs: the statements of the step `schedule-runs`.
import type { RunPlan, Schedule } from '#domain/plan-runs.ts';
import type { Reason } from '#domain/result.ts';
import { derivedId } from '#lib/id.ts';
import { idBytes, type IdBytes, idText, parsed } from '../codec.ts';
import { outcomeCodes, reasonCodes, sourceCodes } from '../codes.ts';
import type { SchedulesTable } from '../schema.ts';
import type { Connection } from './connection.ts';
import { type Counts, countUsage, createCounts, remainingRuns } from './counts.ts';

/** What a turn of the scheduler did. */
export interface Scheduled {
  readonly schedules: number;
  readonly runs: number;
  readonly missed: number;
  /** When the next schedule is due, epoch ms; null when there is none. */
  readonly nextDueAt: number | null;
  /** How late the oldest run of this turn was planned, ms. */
  readonly latestByMs: number;
}

/** How due schedules are judged. Instants are epoch ms. */
export interface ScheduleRules {
  readonly now: number;
  /** Schedules in one turn at most. */
  readonly most: number;
  readonly plan: (schedule: Schedule) => RunPlan;
  /** Why slots before this turn were not run. */
  readonly missedReason: (slotAt: number) => Reason;
}

/**
 * The id of the run of a slot: scheduling it twice gives one run.
 *
 * @param lap how often the clock was set back: slots of a repeated hour are other slots
 */
export function slotRunId(slotAt: number, checkId: string, location: string, lap: number): string {
  return lap === 0 ? derivedId(slotAt, checkId, location) : derivedId(slotAt, checkId, location, lap);
}

/** Takes due schedules, inserts their runs and missed stretches and moves them to their next slot. */
export function scheduleDue(connection: Connection, rules: ScheduleRules): Scheduled {
  const rows = connection
    .prepare('SELECT * FROM schedules WHERE next_due_at <= ? ORDER BY next_due_at LIMIT ?')
    .all(rules.now, rules.most) as unknown as SchedulesTable[];
  const lap = Number(connection.prepare(`SELECT value FROM installation WHERE key = 'lap'`).get()?.['value'] ?? 0);
  const counts = createCounts();
  const budgets = new Map<string, Budget>();
  let runs = 0;
  let missed = 0;
  let latestByMs = 0;
  for (const row of rows) {
    const plan = rules.plan(scheduleOf(row));
    const checkId = idText(row.check_id);
    for (const stretch of plan.missed) {
      missed += stretch.slots;
      const reason = rules.missedReason(stretch.slotAt);
      insertMissed(connection, row, { checkId, ...stretch, reason, lap, now: rules.now }, counts);
    }
    for (const run of plan.runs) {
      const budget = budgetOf(connection, budgets, row.account_id, rules.now);
      if (budget.used < budget.left) {
        if (!insertRun(connection, row, { checkId, ...run, lap }, counts)) continue;
        budget.used++;
        runs++;
        latestByMs = Math.max(latestByMs, rules.now - run.slotAt);
      } else {
        missed++;
        const stretch = { checkId, ...run, slots: 1, reason: 'limit' as const, lap, now: rules.now };
        if (insertMissed(connection, row, stretch, counts)) counts.add(row.account_id, 'limited', 1);
      }
    }
    connection
      .prepare('UPDATE schedules SET next_due_at = ?, turn = ? WHERE account_id = ? AND check_id = ?')
      .run(plan.nextDueAt, plan.turn, row.account_id, row.check_id);
  }
  for (const { accountId, used } of budgets.values()) countUsage(connection, accountId, rules.now, used);
  counts.write(connection, rules.now);
  const next = connection.prepare('SELECT min(next_due_at) AS at FROM schedules').get();
  const nextDueAt = next?.['at'] === null || next === undefined ? null : Number(next['at']);
  return { schedules: rows.length, runs, missed, nextDueAt, latestByMs };
}

interface Budget {
  readonly accountId: IdBytes;
  readonly left: number;
  used: number;
}

/** Runs that an account may still start this month, and how many of them this turn took. */
function budgetOf(connection: Connection, budgets: Map<string, Budget>, accountId: IdBytes, now: number): Budget {
  const key = String.fromCharCode(...accountId);
  const known = budgets.get(key);
  if (known !== undefined) return known;
  const budget: Budget = { accountId, left: remainingRuns(connection, accountId, now), used: 0 };
  budgets.set(key, budget);
  return budget;
}

/** false = this slot has its run already, or its result: an edit can bring a check back to a slot that was run. */
function insertRun(
  connection: Connection,
  { account_id, check_id, interval_ms }: SchedulesTable,
  run: {
    readonly checkId: string;
    readonly slotAt: number;
    readonly dueAt: number;
    readonly location: string;
    readonly lap: number;
  },
  counts: Counts,
): boolean {
  const { changes } = connection
    .prepare(
      `INSERT INTO runs (account_id, id, check_id, location, source, slot_at, interval_ms, attempt, due_at, available_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8, ?8
       WHERE NOT EXISTS (SELECT 1 FROM results WHERE account_id = ?1 AND check_id = ?3 AND id = ?2)
       ON CONFLICT DO NOTHING`,
    )
    .run(
      account_id,
      idBytes(slotRunId(run.slotAt, run.checkId, run.location, run.lap)),
      check_id,
      run.location,
      sourceCodes.encode('SCHEDULER'),
      run.slotAt,
      interval_ms,
      run.dueAt,
    );
  counts.add(account_id, 'scheduled', Number(changes));
  return Number(changes) === 1;
}

interface MissedRow {
  readonly checkId: string;
  readonly slotAt: number;
  readonly slots: number;
  readonly location: string;
  readonly reason: Reason;
  readonly lap: number;
  readonly now: number;
}

/** false = the slot has its outcome already. */
function insertMissed(
  connection: Connection,
  { account_id, check_id }: SchedulesTable,
  missed: MissedRow,
  counts: Counts,
): boolean {
  const { changes } = connection
    .prepare(
      `INSERT INTO results (account_id, check_id, id, attempt, outcome, reason, message, location, source, slots,
         started_at, duration_ms, loop_delay_ms) VALUES (?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, 0, 0) ON CONFLICT DO NOTHING`,
    )
    .run(
      account_id,
      check_id,
      idBytes(slotRunId(missed.slotAt, missed.checkId, missed.location, missed.lap)),
      outcomeCodes.encode('missed'),
      reasonCodes.encode(missed.reason),
      missedMessage(missed.reason),
      missed.location,
      sourceCodes.encode('SCHEDULER'),
      missed.slots,
      missed.now,
    );
  if (Number(changes) === 0) return false;
  counts.add(account_id, 'scheduled', missed.slots);
  counts.add(account_id, 'missed', missed.slots);
  return true;
}

const missedMessages: Partial<Record<Reason, string>> = {
  limit: "not run: the account's execution limit of this month is used up",
  downtime: 'not run: Tocsin was not running',
  store: 'not run: the database could not be written',
  clock: "not run: this machine's clock was set forward, or it slept",
};

/** Why a slot was not run, in a sentence. */
function missedMessage(reason: Reason): string {
  return missedMessages[reason] ?? 'not run: Tocsin was too busy to start it in its interval';
}

/** The schedule of a row, as it is planned from. */
export function scheduleOf(row: SchedulesTable): Schedule {
  return {
    accountId: idText(row.account_id),
    checkId: idText(row.check_id),
    nextDueAt: row.next_due_at,
    intervalMs: row.interval_ms,
    phaseMs: row.phase_ms,
    locations: row.locations === '[]' ? [] : parsed<string[]>(row.locations),
    runParallel: row.run_parallel === 1,
    turn: row.turn,
  };
}
