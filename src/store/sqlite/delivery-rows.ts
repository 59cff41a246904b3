// Adds deliveries, with what they send, to their tables.
import type { Delivery } from '#domain/delivery.ts';
import { flag, idBytes, idBytesOrNull, json } from '../codec.ts';
import { deliveryStatusCodes } from '../codes.ts';
import type { Connection } from './connection.ts';

/** Adds a delivery: of an alert, of a test message, or of a replay. */
export function insertDeliveryRow(connection: Connection, delivery: Delivery): void {
  connection
    .prepare(
      `INSERT INTO deliveries (account_id, id, alert_channel_id, alert_id, check_id, check_result_id, alert_type, status,
         created_at, next_attempt_at, replay_of, is_test, error)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      idBytes(delivery.accountId),
      idBytes(delivery.id),
      delivery.alertChannelId,
      idBytesOrNull(delivery.alertId),
      idBytesOrNull(delivery.checkId),
      idBytesOrNull(delivery.checkResultId),
      delivery.alertType,
      deliveryStatusCodes.encode(delivery.status),
      delivery.createdAt,
      delivery.nextAttemptAt,
      idBytesOrNull(delivery.replayOf),
      flag(delivery.isTest),
      delivery.error,
    );
  if (delivery.request === null) return;
  connection
    .prepare('INSERT INTO delivery_requests (account_id, delivery_id, request) VALUES (?, ?, ?)')
    .run(idBytes(delivery.accountId), idBytes(delivery.id), json(delivery.request));
}
