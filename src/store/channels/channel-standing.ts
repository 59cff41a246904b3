// Reads and writes whether a channel receives, for the rules of docs/decisions/0026. Each engine has its own statements.
import type { Attempt, Delivery, DeliveryStep } from '#domain/deliveries/delivery.ts';
import { deliveryEnd, type DeliveryPurpose, purposeOf } from '#domain/deliveries/delivery-purpose.ts';
import {
  afterEnd,
  type ChannelEvent,
  type ChannelStanding,
  lostReason,
  notRendered,
} from '#domain/deliveries/failing-channel.ts';
import type { Rendered } from '#domain/results/recording.ts';
import { idBytes, type IdBytes, idText } from '../base/codec.ts';
import type { AlertChannelsTable, DeliveriesTable } from '../base/tables/schema.ts';

/** Columns of a channel's standing. */
export type StandingRow = Pick<
  AlertChannelsTable,
  | 'exhausted_in_a_row'
  | 'failing_since'
  | 'failing_news'
  | 'failing_reason'
  | 'failing_delivery_id'
  | 'failing_notified'
>;

export const standingColumns =
  'exhausted_in_a_row, failing_since, failing_news, failing_reason, failing_delivery_id, failing_notified';
/** Columns that say what a delivery is for. */
export const purposeColumns = ['id', 'check_id', 'alert_type', 'is_test', 'is_digest', 'page_change_id'] as const;
export type PurposeRow = Pick<DeliveriesTable, (typeof purposeColumns)[number]>;

/** The end of a delivery before its purpose is read. */
type EndedDelivery = Omit<ChannelEvent, 'purpose'>;

/** An attempted delivery. */
export interface Tried {
  readonly attempt: Attempt;
  readonly alertChannelId: number;
  readonly step: DeliveryStep;
}

/** A delivery that ended. */
export interface Ended extends EndedDelivery {
  readonly accountId: string;
  readonly alertChannelId: number;
}

/** null = it did not end, or its end says nothing about its channel. */
export function endedOf({ attempt, alertChannelId, step }: Tried): Ended | null {
  const end = deliveryEnd(attempt, step.status);
  if (end === null) return null;
  const { accountId, deliveryId, number: attempts } = attempt;
  return {
    end,
    accountId,
    alertChannelId,
    deliveryId,
    attempts,
    reason: end === 'received' ? null : lostReason(attempt),
  };
}

/** A delivery that was rendered, or could not be. */
interface Unrendered extends Pick<Delivery, 'accountId' | 'id'> {
  readonly rendered: Rendered;
}

/** The end of a delivery that could not be rendered. */
export function unrenderedEnd({ accountId, id, rendered }: Unrendered, alertChannelId: number): Ended {
  const reason = ('error' in rendered ? rendered.reason : undefined) ?? notRendered;
  return { end: 'lost', accountId, alertChannelId, deliveryId: id, attempts: 0, reason };
}

/** Values of `failing_news`. */
export const newsCodes = { failing: 1, receiving: 2 } as const;

/** IDs of the deliveries whose purpose the rules need. */
export function deliveriesOf(row: StandingRow, ends: readonly EndedDelivery[]): IdBytes[] {
  const ids = ends.map(({ deliveryId }) => idBytes(deliveryId));
  return row.failing_delivery_id === null ? ids : [row.failing_delivery_id, ...ids];
}

/**
 * The columns after deliveries have ended, in order.
 * @param read the rows of `deliveriesOf` that exist
 * @param now epoch ms
 */
export function standingAfter(
  row: StandingRow,
  ends: readonly EndedDelivery[],
  read: readonly PurposeRow[],
  now: number,
): Omit<StandingRow, 'failing_notified'> {
  const purposes = new Map(read.map((one) => [idText(one.id), purposeOfRow(one)]));
  const standing = ends.reduce(
    (before, end) => {
      const purpose = purposes.get(end.deliveryId);
      return purpose === undefined ? before : afterEnd(before, { ...end, purpose }, now);
    },
    standingOf(row, purposes),
  );
  return {
    exhausted_in_a_row: standing.lostInARow,
    failing_since: standing.failingSince,
    failing_news: standing.news === null ? null : newsCodes[standing.news],
    failing_reason: standing.reason?.replaceAll('\0', '\ufffd') ?? null,
    failing_delivery_id: standing.lost === null ? row.failing_delivery_id : idBytes(standing.lost.deliveryId),
  };
}

function standingOf(row: StandingRow, purposes: ReadonlyMap<string, DeliveryPurpose>): ChannelStanding {
  const deliveryId = row.failing_delivery_id === null ? null : idText(row.failing_delivery_id);
  const purpose = deliveryId === null ? undefined : purposes.get(deliveryId);
  const news = Number(row.failing_news);
  return {
    lostInARow: row.exhausted_in_a_row,
    failingSince: row.failing_since,
    reason: row.failing_reason,
    lost: deliveryId === null || purpose === undefined ? null : { deliveryId, purpose },
    news: news === newsCodes.failing ? 'failing' : news === newsCodes.receiving ? 'receiving' : null,
    isKnown: row.failing_notified !== null,
  };
}

function purposeOfRow({ check_id, alert_type, is_test, is_digest, page_change_id }: PurposeRow): DeliveryPurpose {
  return purposeOf({
    isTest: is_test === 1,
    isDigest: is_digest === 1,
    checkId: check_id,
    alertType: alert_type,
    ...(page_change_id !== null && { pageChangeId: idText(page_change_id) }),
  });
}
