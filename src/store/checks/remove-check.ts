// Deletes a check with all that is only there because of it. Alerts and deliveries stay: they tell what happened, and who was
// told of something that is still open is told of its end.
import type { Kysely } from 'kysely';
import { dropSchedule } from './check-schedules.ts';
import { closeTold, type CloseRules } from '../path/record/close-told.ts';
import { idBytes } from '../base/codec.ts';
import { sourceCodes } from '../base/codes.ts';
import { ownedBy, touchAccount } from '../base/database.ts';
import { holdRounds } from '../path/schedule/hold-rounds.ts';
import { noteLeftovers, removeHistory } from '../accounts/leftovers.ts';
import { inStep } from '../path/schedule/schedule-rounds.ts';
import type { Tables } from '../base/tables/schema.ts';
import { dropTarget } from '../channels/subscriptions.ts';

/** Results deleted at once: bounds how long a deletion holds the loop. */
const resultsAtOnce = 1000;
const dayMs = 86_400_000;

/** @returns false when there is no such check */
export async function removeCheck(
  tx: Kysely<Tables>,
  accountId: string,
  id: string,
  rules: CloseRules,
): Promise<boolean> {
  const account = idBytes(accountId);
  const check = idBytes(id);
  const removed = await tx
    .deleteFrom('checks')
    .where('account_id', '=', account)
    .where('id', '=', check)
    .returningAll()
    .executeTakeFirst();
  if (removed === undefined) return false;
  await closeTold(tx, removed, rules);
  for (const table of [
    'check_tags',
    'check_variables',
    'check_states',
    'told',
    'triggers',
    'passing_exchanges',
    'heartbeats',
    'waiting_pings',
  ] as const) {
    await tx.deleteFrom(table).where('account_id', '=', account).where('check_id', '=', check).execute();
  }
  const schedule = await tx
    .selectFrom('schedules')
    .select('next_due_at')
    .where('account_id', '=', account)
    .where('check_id', '=', check)
    .executeTakeFirst();
  // A run that is being planned meanwhile would be left behind. Who plans one with a time of its own writes its row.
  if (schedule?.next_due_at === inStep) await holdRounds(tx);
  await dropSchedule(tx, accountId, id);
  await dropTarget(tx, accountId, { checkId: id, groupId: null });
  await dropRuns(tx, accountId, id, rules.now);
  const isMoreLeft = (await removeHistory(tx, { accountId, checkId: id }, resultsAtOnce)) === resultsAtOnce;
  if (isMoreLeft) await noteLeftovers(tx, { accountId, checkId: id });
  await touchAccount(tx, accountId);
  return true;
}

/** Open runs will have no outcome, so they are no longer counted as due (design §1: every due slot has one outcome). */
async function dropRuns(tx: Kysely<Tables>, accountId: string, checkId: string, now: number): Promise<void> {
  const dropped = await tx
    .deleteFrom('runs')
    .where('account_id', '=', idBytes(accountId))
    .where('check_id', '=', idBytes(checkId))
    .returning('source')
    .execute();
  if (dropped.length === 0) return;
  const scheduled = dropped.filter(({ source }) => source === sourceCodes.encode('SCHEDULER')).length;
  const onDemand = dropped.length - scheduled;
  await tx
    .insertInto('run_counts')
    .values({
      ...ownedBy(accountId),
      day: Math.floor(now / dayMs),
      scheduled: -scheduled,
      on_demand: -onDemand,
      passed: 0,
      degraded: 0,
      failed: 0,
      unknown: 0,
      missed: 0,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'day']).doUpdateSet((row) => ({
        scheduled: row('run_counts.scheduled', '-', scheduled),
        on_demand: row('run_counts.on_demand', '-', onDemand),
      })),
    )
    .execute();
}
