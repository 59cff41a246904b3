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
import { insertRow, insertRows } from '../../engines/sqlite/many-rows.ts';

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
  insertRow(connection, 'deliveries', newDeliveryRow(delivery));
  insertContent(connection, delivery);
}

function insertContent(connection: Connection, delivery: Delivery): void {
  insertRows(connection, 'delivery_requests', requestRows([delivery]));
  insertRows(connection, 'delivery_contents', contentRows([delivery]));
}
