// Adds deliveries and their content.
import type { Delivery } from '#domain/deliveries/delivery.ts';
import { idBytes } from '../../base/codec.ts';
import {
  cancelCollectingStatement,
  contentRows,
  newDeliveryRow,
  releaseStatement,
  releaseValues,
  requestRows,
} from '../../channels/delivery-rows.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';

/** Sends a delivery that collected alerts, unless it was cancelled. */
export function releaseDeliveryRow(connection: Connection, delivery: Delivery): void {
  const sql = releaseStatement(['?1', '?2', '?3', '?4', '?5', '?6', '?7', '?8']);
  connection.prepare(sql).run(...releaseValues(delivery));
  insertContent(connection, delivery);
}

/** Cancels a delivery that collected alerts. */
export function cancelCollectingRow(
  connection: Connection,
  { accountId, id }: Pick<Delivery, 'accountId' | 'id'>,
  reason: string,
): void {
  connection.prepare(cancelCollectingStatement(['?1', '?2', '?3'])).run(reason, idBytes(accountId), idBytes(id));
}

/** Adds a delivery of an alert, a test message or a replay. */
export function insertDeliveryRow(connection: Connection, delivery: Delivery): void {
  const row = newDeliveryRow(delivery);
  connection
    .prepare(
      `INSERT INTO deliveries (account_id, id, alert_channel_id, alert_id, check_id, check_result_id, alert_type, status,
         created_at, next_attempt_at, replay_of, is_test, error, digest_id, is_digest, latest_of)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      row.account_id,
      row.id,
      row.alert_channel_id,
      row.alert_id,
      row.check_id,
      row.check_result_id,
      row.alert_type,
      row.status,
      row.created_at,
      row.next_attempt_at,
      row.replay_of,
      row.is_test,
      row.error,
      row.digest_id,
      row.is_digest,
      row.latest_of,
    );
  insertContent(connection, delivery);
}

function insertContent(connection: Connection, delivery: Delivery): void {
  for (const { account_id, delivery_id, request } of requestRows([delivery])) {
    connection
      .prepare('INSERT INTO delivery_requests (account_id, delivery_id, request) VALUES (?, ?, ?)')
      .run(account_id, delivery_id, request);
  }
  for (const { account_id, delivery_id, content } of contentRows([delivery])) {
    connection
      .prepare('INSERT INTO delivery_contents (account_id, delivery_id, content) VALUES (?, ?, ?)')
      .run(account_id, delivery_id, content);
  }
}
