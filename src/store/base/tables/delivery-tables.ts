// Parts of a delivery in separate tables, because its row is updated at every step of every attempt.
import type { Flag, IdBytes } from '../codec.ts';

/**
 * The request of a delivery, rendered once; none until it is rendered, or if rendering failed. Separate from the
 * delivery, whose row is updated at every step of every attempt.
 */
export interface DeliveryRequestsTable {
  account_id: IdBytes;
  delivery_id: IdBytes;
  /** JSON. */
  request: string;
}

/** Input for rendering a delivery. Retained, so that a replay can be rendered anew. */
export interface DeliveryContentsTable {
  account_id: IdBytes;
  delivery_id: IdBytes;
  /** JSON. */
  content: string;
}

/**
 * The alert storm of an account, locked while its alerts are sorted into digests. Created with the first alert to a
 * channel of people.
 */
export interface AlertStormsTable {
  account_id: IdBytes;
  /** null = there is none. */
  started_at: number | null;
  /** Whether it has a storm or digests to send. */
  is_current: Flag;
  /** Channels with digests, JSON. */
  channels: string;
}

export interface DeliveryTables {
  alert_storms: AlertStormsTable;
  delivery_requests: DeliveryRequestsTable;
  delivery_contents: DeliveryContentsTable;
}
