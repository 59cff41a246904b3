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
import { createCounts } from '../../base/counts.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';
import { writeCounts } from '../../engines/sqlite/counts.ts';
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

/** Adds and counts a test message or a replay. */
export function addDelivery(connection: Connection, delivery: Delivery): void {
  insertDeliveryRow(connection, delivery);
  const counts = createCounts();
  counts.addDeliveries([delivery]);
  writeCounts(connection, counts);
}

/** Adds a delivery; the caller counts it. */
export function insertDeliveryRow(connection: Connection, delivery: Delivery): void {
  insertRow(connection, 'deliveries', newDeliveryRow(delivery));
  insertContent(connection, delivery);
}

function insertContent(connection: Connection, delivery: Delivery): void {
  insertRows(connection, 'delivery_requests', requestRows([delivery]));
  insertRows(connection, 'delivery_contents', contentRows([delivery]));
}
