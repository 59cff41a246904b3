// Counts lost deliveries of channels.
import { delayedUntil } from '#domain/alerts/delivery.ts';
import { lostUntilFailing } from '#domain/alerts/failing-channel.ts';
import { idBytes } from '../../base/codec.ts';
import { endedOf, hasLostNoAlert, type Tried } from '../../channels/failing-channels.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';

/**
 * Records the delay that its receiver requested. Marks a channel as failing or clears the mark, and creates a report
 * for the other channels (docs/decisions/0026). Reports only lost alerts of checks, so that a lost report does not
 * cause others.
 */
export function noteOutcome(connection: Connection, tried: Tried, now: number): void {
  const accountId = idBytes(tried.attempt.accountId);
  const until = delayedUntil(tried.attempt);
  if (until !== null) {
    connection
      .prepare(
        'UPDATE alert_channels SET asked_until = max(coalesce(asked_until, 0), ?) WHERE account_id = ? AND id = ?',
      )
      .run(until, accountId, tried.alertChannelId);
  }
  const ended = endedOf(tried);
  if (ended === null) return;
  if (ended.end === 'received') {
    connection
      .prepare(
        `UPDATE alert_channels SET exhausted_in_a_row = 0, failing_since = NULL, failing_reason = NULL,
           failing_news = CASE WHEN failing_notified IS NOT NULL THEN 2 END
         WHERE account_id = ? AND id = ? AND exhausted_in_a_row > 0`,
      )
      .run(accountId, ended.alertChannelId);
    return;
  }
  const isAlert =
    'EXISTS (SELECT 1 FROM deliveries WHERE account_id = ?5 AND deliveries.id = ?4 AND check_id IS NOT NULL)';
  const isKnown = `failing_since IS NOT NULL AND NOT (${isAlert} AND ${hasLostNoAlert('?5')})`;
  connection
    .prepare(
      `UPDATE alert_channels SET exhausted_in_a_row = exhausted_in_a_row + 1, failing_reason = ?3,
         failing_since = CASE WHEN exhausted_in_a_row + 1 >= ?1 THEN coalesce(failing_since, ?2) END,
         failing_delivery_id = CASE WHEN ${isKnown} THEN failing_delivery_id ELSE ?4 END,
         failing_news = CASE WHEN exhausted_in_a_row + 1 < ?1 OR ${isKnown} THEN failing_news
           WHEN failing_notified IS NULL AND ${isAlert} THEN 1 END
       WHERE account_id = ?5 AND id = ?6`,
    )
    .run(lostUntilFailing[ended.end], now, ended.reason, idBytes(ended.deliveryId), accountId, ended.alertChannelId);
}
