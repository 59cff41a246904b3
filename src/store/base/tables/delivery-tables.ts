// What belongs to a delivery and stands apart from its row, which is written again at every step of every attempt.
import type { IdBytes } from '../codec.ts';

/**
 * What a delivery sends, rendered once; none until it is rendered, or when it could not be. Apart from the delivery, whose row is
 * written again at every step of every attempt.
 */
export interface DeliveryRequestsTable {
  account_id: IdBytes;
  delivery_id: IdBytes;
  /** JSON. */
  request: string;
}

/** What a delivery of an alert is rendered from. Kept, so that a replay can be rendered anew. */
export interface DeliveryContentsTable {
  account_id: IdBytes;
  delivery_id: IdBytes;
  /** JSON. */
  content: string;
}

export interface DeliveryTables {
  delivery_requests: DeliveryRequestsTable;
  delivery_contents: DeliveryContentsTable;
}
