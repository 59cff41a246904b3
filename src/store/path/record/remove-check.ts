// Deletes a check and everything that exists only for it. Alerts and deliveries are kept as history, and open alerts
// are resolved.
import { recorderOf } from '../../base/audit/recorder.ts';
import type { Kysely } from 'kysely';
import { addCounts, type Counts, createCounts } from '../../base/counts.ts';
import { dropDependencies } from '../../checks/check-dependencies.ts';
import { dropSchedule } from '../../schedules/check-schedules.ts';
import { closeNotified, type CloseRules } from './close-notified.ts';
import { idBytes, idTime } from '../../base/codec.ts';
import { sourceCodes } from '../../base/codes.ts';
import { type Database, touchAccount } from '../../base/database.ts';
import { lockRounds } from '../../base/locks/lock-rounds.ts';
import { noteOrphans, removeHistory } from '../../accounts/orphans.ts';
import { inStep } from '../../schedules/schedule-rounds.ts';
import type { Db, Tables } from '../../base/tables/schema.ts';
import { dropTarget } from '../../channels/subscriptions.ts';

/** Maximum number of results deleted at once, because deletion blocks the event loop. */
const resultsAtOnce = 1000;

/**
 * Deletes a check and sends recoveries for open alerts (docs/decisions/0103). `Orphans` deletes a long history in slices.
 * @returns false if it is unknown
 */
export type RemoveCheck = (
  accountId: string,
  id: string,
  render: CloseRules['render'],
  isDigested?: CloseRules['isDigested'],
) => Promise<boolean>;

export function createRemoveCheck({ transaction, clock, seal }: Database): RemoveCheck {
  return (accountId, id, render, isDigested) =>
    transaction((tx) => removeCheck(tx, accountId, id, { now: clock.now(), seal, render, isDigested }));
}

/** The same in the caller's transaction. */
export function removeCheckIn({ clock, seal }: Database) {
  return (tx: Db, accountId: string, id: string, closing: Pick<CloseRules, 'render' | 'isDigested'>) =>
    removeCheck(tx, accountId, id, { ...closing, now: clock.now(), seal });
}

async function removeCheck(tx: Kysely<Tables>, accountId: string, id: string, rules: CloseRules): Promise<boolean> {
  const account = idBytes(accountId);
  const check = idBytes(id);
  const removed = await tx
    .deleteFrom('checks')
    .where('account_id', '=', account)
    .where('id', '=', check)
    .returningAll()
    .executeTakeFirst();
  if (removed === undefined) return false;
  recorderOf(tx)?.deleted('checks', [removed]);
  const counts = createCounts();
  await closeNotified(tx, removed, { ...rules, counts });
  for (const table of [
    'check_tags',
    'check_variables',
    'check_states',
    'notified',
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
  // A concurrently planned run would be left behind. Planning by an individual due time locks the row.
  if (schedule?.next_due_at === inStep) await lockRounds(tx);
  await dropSchedule(tx, accountId, id);
  await dropTarget(tx, accountId, { checkId: id, groupId: null });
  await dropDependencies(tx, accountId, id);
  await dropRuns(tx, accountId, id, counts);
  await addCounts(tx, counts);
  const isMoreLeft = (await removeHistory(tx, { accountId, checkId: id }, resultsAtOnce)) === resultsAtOnce;
  if (isMoreLeft) await noteOrphans(tx, { accountId, checkId: id });
  await touchAccount(tx, accountId);
  return true;
}

/** Open runs will have no outcome, so they no longer count as due (design §1: every due slot has one outcome). */
async function dropRuns(tx: Kysely<Tables>, accountId: string, checkId: string, counts: Counts): Promise<void> {
  const dropped = await tx
    .deleteFrom('runs')
    .where('account_id', '=', idBytes(accountId))
    .where('check_id', '=', idBytes(checkId))
    .returning(['id', 'source'])
    .execute();
  const account = idBytes(accountId);
  for (const { id, source } of dropped) {
    counts.add(account, idTime(id), source === sourceCodes.encode('SCHEDULER') ? 'scheduled' : 'on_demand', -1);
  }
}
