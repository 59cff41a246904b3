// Updates the table of schedules in the transaction of each change of checks and groups.
import type { Insertable } from 'kysely';
import { deleteRows, findRows, replaceRows } from '../base/rows.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import { scheduleOf, nextSlot } from '#domain/checks/schedule.ts';
import { hasOtherTarget } from '#domain/checks/target.ts';
import { type HeldRounds, missDueSlots } from './changed-schedules.ts';
import { flag, idBytes, idText, json } from '../base/codec.ts';
import { keepHeartbeat } from './keep-heartbeat.ts';
import type { Db } from '../base/tables/schema.ts';
import type { SchedulesTable } from '../base/tables/schedule-tables.ts';

/** Time of the change, epoch ms, and code of this server's own run location. */
export interface ChangeMoment {
  readonly now: number;
  readonly ownLocation: string;
}

/** A check whose schedule is updated. */
export interface ScheduledCheck {
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
