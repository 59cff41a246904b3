// Updates the table of schedules in the transaction of each change of checks and groups.
import { deleteRows, selectRows } from '../base/rows.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import { scheduleOf } from '#domain/checks/schedule.ts';
import { nextSlot } from '#domain/checks/slot.ts';
import { hasOtherTarget } from '#domain/checks/target.ts';
import { missDueSlots } from './changed-schedules.ts';
import { flag, idBytes, json } from '../base/codec.ts';
import { keepHeartbeat } from './keep-heartbeat.ts';
import type { Db } from '../base/tables/schema.ts';

/** Time of the change, epoch ms, and code of this server's own run location. */
export interface ChangeMoment {
  readonly now: number;
  readonly ownLocation: string;
}

/**
 * Updates the schedule row of a check from its check and group: no row while either is deactivated. The next due time
 * changes only with the interval or the phase; an activated check is due at its next slot. Due slots whose row is moved
 * or deleted are recorded as missed (design §1: every due slot has one outcome).
 * @param before the check before the change; null = only its group changed, or it is new
 * @returns whether it must run at once: it had no schedule before, or has a new target
 */
export async function keepSchedule(
  tx: Db,
  check: Check,
  group: CheckGroup | null,
  { now, ownLocation }: ChangeMoment,
  before: Check | null = null,
): Promise<boolean> {
  const key = { account_id: idBytes(check.accountId), check_id: idBytes(check.id) };
  const mine = selectRows(tx, 'schedules', { account_id: key.account_id, check_id: key.check_id });
  // A heartbeat is not scheduled, whatever type it was before.
  const isCalled = check.checkType === 'HEARTBEAT';
  const schedule = isCalled ? null : scheduleOf(check, group);
  const present = await mine.selectAll().executeTakeFirst();
  const isInTime = present?.interval_ms === schedule?.intervalMs && present?.phase_ms === schedule?.phaseMs;
  if (present !== undefined && !isInTime) await missDueSlots(tx, present, now, ownLocation);
  if (isCalled) await keepHeartbeat(tx, check, group, now);
  if (schedule === null) {
    await dropSchedule(tx, check.accountId, check.id);
    return false;
  }

  const { intervalMs, phaseMs, runParallel } = schedule;
  const locations = json(schedule.locations);
  const next = {
    interval_ms: intervalMs,
    phase_ms: phaseMs,
    locations,
    run_parallel: flag(runParallel),
    // Slots up to now have their outcome.
    next_due_at: present !== undefined && isInTime ? present.next_due_at : nextSlot(now + 1, intervalMs, phaseMs),
  };
  await tx
    .insertInto('schedules')
    .values({ ...key, ...next })
    .onConflict((conflict) => conflict.columns(['account_id', 'check_id']).doUpdateSet(next))
    .execute();
  return present === undefined || (before !== null && hasOtherTarget(before, check));
}

/** Deletes the schedule; due slots get no outcome. */
export async function dropSchedule(tx: Db, accountId: string, checkId: string): Promise<void> {
  for (const table of ['schedules', 'first_runs'] as const) {
    await deleteRows(tx, table, { account_id: idBytes(accountId), check_id: idBytes(checkId) });
  }
}
