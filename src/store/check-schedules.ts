// Keeps the table of schedules in step with checks and groups: part of the transaction of each change.
import type { Kysely } from 'kysely';
import type { CheckGroup } from '#domain/check-group.ts';
import type { Check } from '#domain/check.ts';
import { scheduleOf } from '#domain/schedule.ts';
import { nextSlot } from '#domain/slot.ts';
import { flag, idBytes, json } from './codec.ts';
import type { Tables } from './schema.ts';

/**
 * Makes the row of a check's schedule what its check and group ask for: none while either is deactivated. What is due
 * next moves only when the interval or the phase does; a check that starts is due at its next slot.
 *
 * @param now epoch ms
 */
export async function keepSchedule(
  tx: Kysely<Tables>,
  check: Check,
  group: CheckGroup | null,
  now: number,
): Promise<void> {
  const key = { account_id: idBytes(check.accountId), check_id: idBytes(check.id) };
  const mine = tx.selectFrom('schedules').where('account_id', '=', key.account_id).where('check_id', '=', key.check_id);
  const schedule = scheduleOf(check, group);
  if (schedule === null) return dropSchedule(tx, check.accountId, check.id);

  const { intervalMs, phaseMs, runParallel } = schedule;
  const locations = json(schedule.locations);
  const present = await mine.selectAll().executeTakeFirst();
  const isInTime = present?.interval_ms === intervalMs && present.phase_ms === phaseMs;
  const next = {
    interval_ms: intervalMs,
    phase_ms: phaseMs,
    locations,
    run_parallel: flag(runParallel),
    next_due_at: isInTime ? present.next_due_at : nextSlot(now, intervalMs, phaseMs),
    turn: present?.locations === locations ? present.turn : 0,
  };
  await tx
    .insertInto('schedules')
    .values({ ...key, ...next })
    .onConflict((conflict) => conflict.columns(['account_id', 'check_id']).doUpdateSet(next))
    .execute();
}

export async function dropSchedule(tx: Kysely<Tables>, accountId: string, checkId: string): Promise<void> {
  await tx
    .deleteFrom('schedules')
    .where('account_id', '=', idBytes(accountId))
    .where('check_id', '=', idBytes(checkId))
    .execute();
}
