// Parts of a delivery in separate tables, because its row is updated at every step of every attempt.
import type { Flag, IdBytes } from '../codec.ts';

/** What a channel was last notified of about a check. */
export interface NotifiedTable {
  account_id: IdBytes;
  check_id: IdBytes;
  alert_channel_id: number;
  open: string | null;
  /** Fingerprint → step, JSON; null = none. */
  certificates: string | null;
  /** When the open alert was last sent to the channel, epoch ms; 0 = never, suppressed by its settings. */
  notified_at: number | null;
  /** Reminders sent so far; null = written by an older version. */
  reminders: number | null;
  /** JSON `FlappingNotice`; null = none. */
  flapping: string | null;
  /** The channel that the opening alert was sent through instead; null = itself. */
  routed_to: number | null;
  /** Whether the opening alert was in a digest (docs/decisions/0127). */
  is_grouped: Flag;
  /** The delivery that last notified it of a failure. */
  delivery_id: IdBytes | null;
  /** When it is notified of the open alert unless somebody acknowledges it, epoch ms; null = it does not wait. */
  escalates_at: number | null;
  /** That alert; null = it does not wait. */
  alert_id: IdBytes | null;
}

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
