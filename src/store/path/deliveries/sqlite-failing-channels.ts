// Records what the end of a delivery means for its channel, in SQLite.
import { delayedUntil } from '#domain/deliveries/delivery.ts';
import { idBytes } from '../../base/codec.ts';
import {
  deliveriesOf,
  type Ended,
  endedOf,
  purposeColumns,
  type PurposeRow,
  standingAfter,
  standingColumns,
  type StandingRow,
  type Tried,
} from '../../channels/channel-standing.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';

/** Records the outcome of an attempt for its channel, and the delay that its receiver requested. */
export function noteOutcome(connection: Connection, tried: Tried & { readonly isTest: boolean }, now: number): void {
  const until = tried.isTest ? null : delayedUntil(tried.attempt);
  if (until !== null) {
    connection
      .prepare(
        'UPDATE alert_channels SET requested_until = max(coalesce(requested_until, 0), ?) WHERE account_id = ? AND id = ?',
      )
      .run(until, idBytes(tried.attempt.accountId), tried.alertChannelId);
  }
  const ended = endedOf(tried);
  if (ended !== null) noteEnd(connection, ended, now);
}

/** Records that a delivery ended (docs/decisions/0026). */
export function noteEnd(connection: Connection, ended: Ended, now: number): void {
  const accountId = idBytes(ended.accountId);
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
  const [row] = connection.select<StandingRow>(
    `SELECT ${standingColumns} FROM alert_channels WHERE account_id = ? AND id = ?`,
  )(accountId, ended.alertChannelId);
  if (row === undefined) return;
  const ids = deliveriesOf(row, [ended]);
  const read = connection.select<PurposeRow>(
    `SELECT ${purposeColumns} FROM deliveries WHERE account_id = ? AND id IN (${ids.map(() => '?').join()})`,
  )(accountId, ...ids);
  const next = standingAfter(row, [ended], read, now);
  connection
    .prepare(
      `UPDATE alert_channels SET exhausted_in_a_row = ?, failing_since = ?, failing_news = ?, failing_reason = ?,
         failing_delivery_id = ? WHERE account_id = ? AND id = ?`,
    )
    .run(
      next.exhausted_in_a_row,
      next.failing_since,
      next.failing_news,
      next.failing_reason,
      next.failing_delivery_id,
      accountId,
      ended.alertChannelId,
    );
}
