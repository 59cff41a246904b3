// Updates schedules and heartbeats in the transaction of each change of checks and groups, and records due slots as missed.
import type { Insertable, Selectable } from 'kysely';
import { deleteRows, findRows, replaceRows, insertRows, findRow, selectRows, updateRows } from '../base/rows.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import { scheduleOf, nextSlot } from '#domain/checks/schedule.ts';
import { hasOtherTarget } from '#domain/checks/target.ts';
import { flag, idBytes, idText, json } from '../base/codec.ts';
import type { Db } from '../base/tables/schema.ts';
import type { SchedulesTable, ScheduleRoundsTable } from '../base/tables/schedule-tables.ts';
import { findFact } from '../base/installation-fact.ts';
import { addCounts, createCounts } from '../base/counts.ts';
import { planRuns } from '#domain/checks/plan-runs.ts';
import { hourOf, isLate } from '#domain/results/roll-up.ts';
import { noteHeartbeatWriter } from '../base/locks/lock-heartbeats.ts';
import { lockRounds } from '../base/locks/lock-rounds.ts';
import { outcomeCodes, reasonCodes, sourceCodes } from '../base/codes.ts';
import { dueAtOf, inStep } from './schedule-rounds.ts';
import { scheduleOf as dueScheduleOf, slotRunId } from './schedule-due.ts';
import { effectiveCheck } from '#domain/checks/effective-check.ts';
import { type Heartbeat, inspect, neverAt, readHeartbeat } from '#domain/checks/heartbeat.ts';
import { heartbeatOf, movedRow } from './heartbeat-rows.ts';

/** Time of the change, epoch ms, and code of this server's own run location. */
export interface ChangeMoment {
  readonly now: number;
  readonly ownLocation: string;
}

/** A check whose schedule is updated. */
interface ScheduledCheck {
  readonly check: Check;
  readonly group: CheckGroup | null;
  /** The check before the change; null = only its group changed, or it is new. */
  readonly before: Check | null;
}

/**
 * Updates the schedule rows of checks of an account from check and group: no row while either is deactivated. The next
 * due time changes only with the interval or the phase; an activated check is due at its next slot. Due slots whose row
 * is moved or deleted are recorded as missed (design §1: every due slot has one outcome).
 * @returns IDs of those that must run at once: they had no schedule before, or have a new target
 */
export async function keepSchedules(
  tx: Db,
  accountId: string,
  checks: readonly ScheduledCheck[],
  { now, ownLocation }: ChangeMoment,
): Promise<string[]> {
  const account = idBytes(accountId);
  const ids = checks.map(({ check }) => idBytes(check.id));
  const rows = await findRows(tx, 'schedules', { account_id: account, check_id: ids });
  const byId = new Map(rows.map((row) => [idText(row.check_id), row]));
  const kept: Insertable<SchedulesTable>[] = [];
  const started: string[] = [];
  const held: HeldRounds = { rounds: null };
  for (const { check, group, before } of checks) {
    // A heartbeat is not scheduled, whatever type it was before.
    const isCalled = check.checkType === 'HEARTBEAT';
    const schedule = isCalled ? null : scheduleOf(check, group);
    const present = byId.get(check.id);
    const isInTime = present?.interval_ms === schedule?.intervalMs && present?.phase_ms === schedule?.phaseMs;
    if (present !== undefined && !isInTime) await missDueSlots(tx, present, now, ownLocation, held);
    if (isCalled) await keepHeartbeat(tx, check, group, now);
    if (schedule === null) {
      if (present !== undefined) await dropSchedule(tx, accountId, check.id);
      continue;
    }
    const { intervalMs, phaseMs, runParallel } = schedule;
    const next = {
      account_id: account,
      check_id: idBytes(check.id),
      interval_ms: intervalMs,
      phase_ms: phaseMs,
      locations: json(schedule.locations),
      run_parallel: flag(runParallel),
      // Slots up to now have their outcome.
      next_due_at: present !== undefined && isInTime ? present.next_due_at : nextSlot(now + 1, intervalMs, phaseMs),
    };
    const isSame = present?.locations === next.locations && present.run_parallel === next.run_parallel && isInTime;
    if (!isSame) kept.push(next);
    if (present === undefined || (before !== null && hasOtherTarget(before, check))) started.push(check.id);
  }
  await replaceRows(tx, 'schedules', ['account_id', 'check_id'], kept);
  return started;
}

/** Deletes the schedule; due slots get no outcome. */
export async function dropSchedule(tx: Db, accountId: string, checkId: string): Promise<void> {
  for (const table of ['schedules', 'first_runs'] as const) {
    await deleteRows(tx, table, { account_id: idBytes(accountId), check_id: idBytes(checkId) });
  }
}

const message = 'not run: the check was changed before it could be';

/** Rounds that a transaction has locked and read; null = not yet. */
interface HeldRounds {
  rounds: ReadonlyMap<number, Selectable<ScheduleRoundsTable>> | null;
}

/**
 * Records all slots of the row up to `now` (epoch ms) as missed, as one result per location where the scheduler would
 * have run them. Call it in the transaction that moves or deletes the row.
 * @param held shared by the calls of a transaction
 */
async function missDueSlots(
  tx: Db,
  row: SchedulesTable,
  now: number,
  ownLocation: string,
  held: HeldRounds = { rounds: null },
): Promise<void> {
  const dueAt = await heldDueAt(tx, row, held);
  if (dueAt > now) return;
  const lap = Number((await findFact(tx, 'lap')) ?? 0);
  const due = dueScheduleOf({ row, nextDueAt: dueAt, until: now });
  const counts = createCounts();
  for (const { slotAt, location } of planRuns(due, now, [ownLocation]).runs) {
    const slots = (slotAt - dueAt) / row.interval_ms + 1;
    const id = slotRunId(dueAt, idText(row.check_id), location, lap);
    const inserted = await insertRows(tx, 'results', { ...missedResult(row, now), id, location, slots }, 'keep');
    if (inserted === 0) continue;
    const stretch = { slotAt: dueAt, slots, intervalMs: row.interval_ms };
    counts.addSlots(row.account_id, stretch, now, ['scheduled', 'missed']);
  }
  if (counts.rows().length > 0 && isLate(dueAt, now)) await noteLateHour(tx, row, hourOf(dueAt));
  await addCounts(tx, counts);
}

/**
 * When the schedule is due, while its round is locked: planning holds the round, and a transaction that finds it moved
 * is repeated.
 */
async function heldDueAt(tx: Db, row: SchedulesTable, held: HeldRounds): Promise<number> {
  if (row.next_due_at !== inStep) return row.next_due_at;
  if (held.rounds === null) {
    await lockRounds(tx);
    const rounds = await tx.selectFrom('schedule_rounds').selectAll().execute();
    held.rounds = new Map(rounds.map((round) => [round.interval_ms, round]));
  }
  return dueAtOf(row, held.rounds.get(row.interval_ms));
}

function missedResult({ account_id, check_id, interval_ms }: SchedulesTable, now: number) {
  return {
    account_id,
    check_id,
    run_id: null,
    attempt: 1,
    outcome: outcomeCodes.encode('missed'),
    reason: reasonCodes.encode('changed'),
    message,
    source: sourceCodes.encode('SCHEDULER'),
    started_at: now,
    duration_ms: 0,
    response_us: null,
    loop_delay_ms: 0,
    details: null,
    interval_ms,
  };
}

/**
 * Updates the row from check and group. The timer of a heartbeat that was pinged restarts when it is activated and when
 * its period changes (reference §4.9); a new grace only moves its deadline.
 */
async function keepHeartbeat(tx: Db, check: Check, group: CheckGroup | null, now: number): Promise<void> {
  const { periodMs, graceMs, pingToken } = readHeartbeat(check.settings);
  const isActive = effectiveCheck(check, group).activated;
  noteHeartbeatWriter(tx);
  const row = await findRow(tx, 'heartbeats', { account_id: idBytes(check.accountId), check_id: idBytes(check.id) });
  const settings = { is_active: flag(isActive), period_ms: periodMs, grace_ms: graceMs };
  if (row === undefined) {
    const fresh: Heartbeat = {
      ...unpinged,
      accountId: check.accountId,
      checkId: check.id,
      isActive,
      periodMs,
      graceMs,
    };
    const values = { token: idBytes(pingToken), ...settings, ...movedRow(fresh) };
    await insertRows(tx, 'heartbeats', values);
    return;
  }
  const present = heartbeatOf(row);
  if (present.isActive === isActive && present.periodMs === periodMs && present.graceMs === graceMs) return;
  const isRestarted = present.timerAt !== null && isActive && (!present.isActive || present.periodMs !== periodMs);
  const timerAt = isRestarted ? now : present.timerAt;
  // The time in which it was not active counts as neither passed nor failed.
  const resultAt = isRestarted && !present.isActive && present.resultAt !== null ? now : present.resultAt;
  const next = { ...present, isActive, periodMs, graceMs, timerAt, resultAt };
  // Waiting pings are evaluated, whatever the settings are now.
  const waiting = await selectRows(tx, 'waiting_pings', { account_id: row.account_id, check_id: row.check_id })
    .select('id')
    .limit(1)
    .executeTakeFirst();
  const dueAt = Math.min(inspect(next), waiting === undefined ? neverAt : present.dueAt);
  const key = { account_id: row.account_id, check_id: row.check_id };
  await updateRows(tx, 'heartbeats', key, { ...settings, timer_at: timerAt, result_at: resultAt, due_at: dueAt });
}

const unpinged = {
  dueAt: neverAt,
  timerAt: null,
  pingedAt: null,
  startedAt: null,
  resultAt: null,
  isPassing: false,
  isExcused: false,
} as const;

/** Marks an hour of a check. Call it in the transaction that adds the result. @param startAt epoch ms */
async function noteLateHour(
  tx: Db,
  { account_id, check_id }: Pick<SchedulesTable, 'account_id' | 'check_id'>,
  startAt: number,
): Promise<void> {
  await tx
    .insertInto('late_hours')
    .values({ account_id, check_id, start_at: startAt, touched: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'check_id', 'start_at'])
        .doUpdateSet((row) => ({ touched: row('late_hours.touched', '+', 1) })),
    )
    .execute();
}
