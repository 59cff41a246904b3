// Channels whose receivers requested a delay: their first attempts are postponed when they are claimed
// (docs/decisions/0014).
import { idBytes } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Db, DeliveriesTable } from '../base/tables/schema.ts';

/** Maximum number of deliveries postponed at once, because a claim blocks the writer. */
export const postponedAtOnce = 500;

/** Whether a delivery waits for the requested delay: retries keep their times, and a test message never waits. */
export function isPostponed(
  { attempts, attempt_started_at, is_test }: Pick<DeliveriesTable, 'attempts' | 'attempt_started_at' | 'is_test'>,
  delayedUntil: number | null,
  now: number,
): boolean {
  return (delayedUntil ?? 0) > now && attempts === 0 && attempt_started_at === null && is_test === 0;
}

/** The same deliveries in SQL, without the time. */
export const isFirstAttempt = 'attempts = 0 AND attempt_started_at IS NULL AND is_test = 0';

/** Makes deliveries of a channel due that wait and were not attempted. */
export function makeDue(tx: Db, accountId: string, channelId: number, now: number) {
  return tx
    .updateTable('deliveries')
    .set({ next_attempt_at: now, error: null })
    .where('account_id', '=', idBytes(accountId))
    .where('alert_channel_id', '=', channelId)
    .where('status', '=', deliveryStatusCodes.encode('pending'))
    .where('attempts', '=', 0)
    .where('next_attempt_at', '>', now);
}

/** Ends the delay: waiting deliveries are due now, in order. */
export async function endWait(tx: Db, accountId: string, channelId: number, now: number): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('alert_channels')
    .set({ requested_until: null })
    .where('account_id', '=', idBytes(accountId))
    .where('id', '=', channelId)
    .where('requested_until', 'is not', null)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) return;
  await makeDue(tx, accountId, channelId, now).where('attempt_started_at', 'is', null).execute();
}
