// Cancels reminders that are still being retried when their check recovers or changes state (docs/decisions/0014).
import type { NotifiedTable } from '../base/tables/delivery-tables.ts';
import type { Statement } from '../engines/statements.ts';
import { deliveryStatusCodes } from '../base/codes.ts';

/** The channel and check of reminders. */
export type RemindersOf = Pick<NotifiedTable, 'account_id' | 'check_id' | 'alert_channel_id'>;

const pending = deliveryStatusCodes.encode('pending');
const cancelled = deliveryStatusCodes.encode('cancelled');
const changed = `'the check recovered or changed state'`;
const acknowledged = `'the incident was acknowledged'`;
// An attempt in progress is not interrupted: its delivery is marked, and cancelled instead of retried.
const isWaiting = 'attempt_started_at IS NULL';

/** SET clause that cancels a pending delivery of a reminder. */
export const cancelReminder = cancelFor(changed);
/** The same when the incident is acknowledged. */
export const cancelAcknowledged = cancelFor(acknowledged);

function cancelFor(reason: string): string {
  return `error = ${reason}, status = CASE WHEN ${isWaiting} THEN ${cancelled} ELSE status END,
    next_attempt_at = CASE WHEN ${isWaiting} THEN NULL ELSE next_attempt_at END`;
}

/** Whether the error of a pending delivery marks it: it is cancelled when its attempt ends. */
export function isMarked(error: string | null): boolean {
  return error !== null && [changed, acknowledged].includes(`'${error}'`);
}

/**
 * Condition for a pending delivery of a reminder. Quotes in values are escaped, so that no value can look like the
 * variable.
 */
export const isPendingReminder = `status = ${pending} AND replay_of IS NULL AND EXISTS (
  SELECT 1 FROM delivery_contents c WHERE c.account_id = deliveries.account_id AND c.delivery_id = deliveries.id
    AND c.content LIKE '%"IS_REMINDER":true%')`;

/**
 * Cancels the pending reminders of a check for a channel, also those that are sent through another channel
 * (docs/decisions/0129).
 */
export function remindersCancelled({ account_id, check_id, alert_channel_id }: RemindersOf): Statement {
  const routedTo = `SELECT routed_to FROM notified WHERE account_id = $1 AND check_id = $3 AND alert_channel_id = $2`;
  return {
    text: `UPDATE deliveries SET ${cancelReminder}
      WHERE account_id = $1 AND check_id = $3 AND alert_channel_id IN ($2, (${routedTo}))
        AND $2 IN (alert_channel_id, routed_from) AND ${isPendingReminder}`,
    values: [account_id, alert_channel_id, check_id],
  };
}

/**
 * SET clause of a settled or postponed attempt: a delivery that would continue is cancelled if it was marked meanwhile.
 * @param d prefix of the table; the others are the new values of the columns
 */
export function settledColumns(d: string, status: string, nextAttemptAt: string, error: string): string {
  const isCancelled = `${status} = ${pending} AND ${d}error IN (${changed}, ${acknowledged})`;
  return `status = CASE WHEN ${isCancelled} THEN ${cancelled} ELSE ${status} END,
    next_attempt_at = CASE WHEN ${isCancelled} THEN NULL ELSE ${nextAttemptAt} END,
    error = CASE WHEN ${isCancelled} THEN ${d}error ELSE ${error} END`;
}
