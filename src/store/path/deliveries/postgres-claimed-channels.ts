// Channels of claimed deliveries in PostgreSQL, and deliveries that wait for a delay requested by their receiver.
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import { waitReason } from '#domain/deliveries/delivery.ts';
import { subscribersChannel, subscribersChannelId } from '#domain/deliveries/page-news.ts';
import { channelOf } from '../../channels/alert-channel-row.ts';
import { isFirstAttempt, postponedAtOnce } from '../../channels/requested-delay.ts';
import { idText } from '../../base/codec.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import type { ClaimedDelivery } from '../../channels/delivery-rows.ts';
import type { AlertChannelsTable, DeliveriesTable } from '../../base/tables/schema.ts';
import type { Seal } from '../../base/seal.ts';
import { inPairs } from '../../engines/postgres/bulk.ts';
import type { Session } from '../../engines/postgres/session.ts';

type ChannelKey = Pick<DeliveriesTable, 'account_id' | 'alert_channel_id'>;

/** A channel as read by a claim. */
export type ClaimedChannel = Pick<ClaimedDelivery, 'delayedUntil'> & { readonly channel: AlertChannel };

/** Map key of a delivery's channel. */
export function channelKey({ account_id, alert_channel_id }: ChannelKey): string {
  return `${idText(account_id)}/${alert_channel_id}`;
}

/** The channels of these deliveries, by `channelKey`; deleted ones are missing. */
export async function readChannels(
  session: Session,
  deliveries: readonly ChannelKey[],
  seal: Seal,
): Promise<Map<string, ClaimedChannel>> {
  const wanted = [...new Map(deliveries.map((row) => [channelKey(row), row])).values()];
  const rows = await session.query<AlertChannelsTable>(
    `SELECT * FROM alert_channels WHERE ${inPairs('(account_id, id)', 1, 'bigint')}`,
    [wanted.map((row) => row.account_id), wanted.map((row) => row.alert_channel_id)],
  );
  const found = rows.map((row): [string, ClaimedChannel] => [
    `${idText(row.account_id)}/${row.id}`,
    { channel: channelOf(row, seal), delayedUntil: row.requested_until },
  ]);
  const subscribers = wanted
    .filter((row) => row.alert_channel_id === subscribersChannelId)
    .map((row): [string, ClaimedChannel] => [
      channelKey(row),
      { channel: subscribersChannel(idText(row.account_id)), delayedUntil: null },
    ]);
  return new Map([...found, ...subscribers]);
}

/** Postpones due first attempts at the channels of these deliveries, oldest first. */
export async function postpone(
  session: Session,
  waiting: readonly ChannelKey[],
  channels: ReadonlyMap<string, ClaimedChannel>,
  now: number,
): Promise<void> {
  if (waiting.length === 0) return;
  const lanes = [...new Map(waiting.map((row) => [channelKey(row), row])).values()];
  const untils = lanes.map((row) => channels.get(channelKey(row))?.delayedUntil ?? now);
  await session.query(
    `WITH waiting AS (
       SELECT d.account_id, d.id, l.until, l.error
       FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $4::text[]) AS l (account_id, alert_channel_id, until, error)
       CROSS JOIN LATERAL (
         SELECT account_id, id FROM deliveries WHERE status = ${deliveryStatusCodes.encode('pending')}
           AND account_id = l.account_id AND alert_channel_id = l.alert_channel_id AND next_attempt_at <= $5
           AND ${isFirstAttempt}
         ORDER BY next_attempt_at, id LIMIT ${postponedAtOnce} FOR UPDATE SKIP LOCKED) d)
     UPDATE deliveries d SET next_attempt_at = w.until, error = w.error FROM waiting w
     WHERE d.account_id = w.account_id AND d.id = w.id`,
    [lanes.map((row) => row.account_id), lanes.map((row) => row.alert_channel_id), untils, untils.map(waitReason), now],
  );
}
