// Whether messages of channels arrive, for those who look at a list of channels.
import { sql } from 'kysely';
import { maxCounted, type ChannelHealth } from '#domain/alerts/alert-channel.ts';
import { type IdBytes, idBytes, idText } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import { findRows } from '../base/rows.ts';
import type { Db } from '../base/tables/schema.ts';

/** The newest deliveries of a channel in which the last received one is looked for. */
const newest = 50;

interface Read {
  readonly id: number;
  readonly waiting: number;
  readonly received: IdBytes | null;
}

/** Health by channel ID. Reads a bounded number of deliveries of each channel. @param ids of at most 100 channels */
export async function channelHealth(
  db: Db,
  accountId: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ChannelHealth>> {
  if (ids.length === 0) return new Map();
  const account = idBytes(accountId);
  const { rows } = await sql<Read>`
    SELECT c.id AS id,
      (SELECT count(*) FROM (
        SELECT 1 FROM deliveries d WHERE d.account_id = ${account} AND d.alert_channel_id = c.id
          AND d.status = ${sql.lit(deliveryStatusCodes.encode('pending'))} LIMIT ${sql.lit(maxCounted)}) w) AS waiting,
      (SELECT x.id FROM (
        SELECT d.id, d.status FROM deliveries d WHERE d.account_id = ${account} AND d.alert_channel_id = c.id
          ORDER BY d.id DESC LIMIT ${sql.lit(newest)}) x
        WHERE x.status = ${sql.lit(deliveryStatusCodes.encode('delivered'))} ORDER BY x.id DESC LIMIT 1) AS received
    FROM alert_channels c WHERE c.account_id = ${account} AND c.id IN (${sql.join(ids)})`.execute(db);
  const received = rows.flatMap((row) => row.received ?? []);
  const key = { account_id: account, delivery_id: received };
  const attempts = received.length === 0 ? [] : await findRows(db, 'attempts', key, ['delivery_id', 'started_at']);
  const attemptedAt = Map.groupBy(attempts, ({ delivery_id }) => idText(delivery_id));
  return new Map(
    rows.map((row) => {
      const times = row.received === null ? [] : (attemptedAt.get(idText(row.received)) ?? []);
      const lastDeliveredAt = times.length === 0 ? null : Math.max(...times.map(({ started_at }) => started_at));
      return [row.id, { waitingDeliveries: row.waiting, lastDeliveredAt }];
    }),
  );
}
