// How a delivery stands in its table.
import type { AlertType } from '#domain/alert.ts';
import type { Delivery, RenderedRequest } from '#domain/delivery.ts';
import { flag, idBytes, idBytesOrNull, idText, idTextOrNull, json, parsedOrNull } from '../codec.ts';
import { deliveryStatusCodes } from '../codes.ts';
import type { DeliveriesTable } from '../schema.ts';
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

/** The row of a delivery with its request beside it. */
export type DeliveryRow = DeliveriesTable & { readonly request: string | null };

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    accountId: idText(row.account_id),
    id: idText(row.id),
    alertChannelId: row.alert_channel_id,
    alertId: idTextOrNull(row.alert_id),
    checkId: idTextOrNull(row.check_id),
    checkResultId: idTextOrNull(row.check_result_id),
    alertType: row.alert_type as AlertType,
    status: deliveryStatusCodes.decode(row.status),
    request: parsedOrNull<RenderedRequest>(row.request),
    attempts: row.attempts,
    createdAt: row.created_at,
    nextAttemptAt: row.next_attempt_at,
    replayOf: idTextOrNull(row.replay_of),
    isTest: row.is_test === 1,
    error: row.error,
  };
}
