// A reminder that is still being retried when its check recovers or changes state is cancelled (docs/decisions/0014).
import { deliveryStatusCodes } from '../../base/codes.ts';

const pending = deliveryStatusCodes.encode('pending');
const cancelled = deliveryStatusCodes.encode('cancelled');
const reason = `'the check recovered or changed state'`;
// An attempt in progress is not taken back: its delivery is marked, and cancelled instead of retried.
const isWaiting = 'attempt_started_at IS NULL';

/** SET clause that cancels a pending delivery of a reminder. */
export const cancelReminder = `error = ${reason},
  status = CASE WHEN ${isWaiting} THEN ${cancelled} ELSE status END,
  next_attempt_at = CASE WHEN ${isWaiting} THEN NULL ELSE next_attempt_at END`;

/** Condition for a pending delivery of a reminder. Quotes in values are escaped, so that none of them looks like the variable. */
export const isPendingReminder = `status = ${pending} AND replay_of IS NULL AND EXISTS (
  SELECT 1 FROM delivery_contents c WHERE c.account_id = deliveries.account_id AND c.delivery_id = deliveries.id
    AND c.content LIKE '%"IS_REMINDER":true%')`;

/**
 * SET clause of a settled attempt: a delivery that would be retried is cancelled if it was marked meanwhile.
 *
 * @param d the table's prefix; the others are what the columns become
 */
export function settledColumns(d: string, status: string, nextAttemptAt: string, error: string): string {
  const isCancelled = `${status} = ${pending} AND ${d}error = ${reason}`;
  return `status = CASE WHEN ${isCancelled} THEN ${cancelled} ELSE ${status} END,
    next_attempt_at = CASE WHEN ${isCancelled} THEN NULL ELSE ${nextAttemptAt} END,
    error = CASE WHEN ${isCancelled} THEN ${d}error ELSE ${error} END`;
}
