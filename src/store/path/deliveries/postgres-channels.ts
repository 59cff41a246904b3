// Channels of claimed deliveries in PostgreSQL, with attempts of other processes (docs/decisions/0014).
import { type IdBytes, idText } from '../../base/codec.ts';
import type { DeliveryClaim, ClaimedDelivery } from '../../channels/delivery-rows.ts';
import type { DeliveriesTable, AlertChannelsTable } from '../../base/tables/schema.ts';
import type { Session } from '../../engines/postgres/session.ts';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import { waitReason } from '#domain/deliveries/delivery.ts';
import { subscribersChannel, subscribersChannelId } from '#domain/deliveries/page-news.ts';
import { channelOf } from '../../channels/alert-channel-row.ts';
import { isFirstAttempt, postponedAtOnce } from '../../channels/requested-delay.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import type { Seal } from '../../base/seal.ts';
import { inPairs, columnsOf } from '../../engines/postgres/bulk.ts';

/** Advisory lock class; an arbitrary constant. */
const lockSpace = 7_253;
/** Advisory locks of a transaction use shared memory of the server, so channels share this many. */
const locks = 1000;

type ChannelKey = Pick<DeliveriesTable, 'account_id' | 'alert_channel_id'>;

/** A check of a channel with an attempt in progress in another process. */
export type LeasedCheck = ChannelKey & { readonly check_id: IdBytes };

/** Attempts of other processes at some channels. */
interface Elsewhere<Lane> {
  /** Channels that no other process claims from until this transaction ends. */
  readonly lanes: readonly Lane[];
  /** Number of attempts of other processes at a channel. */
  count(lane: ChannelKey): number;
  /** Other deliveries of these checks wait. */
  readonly held: readonly LeasedCheck[];
  /**
   * Whether a delivery waits for another of its check that a dead process left, even if that one is not visible yet.
   */
  isBehind(delivery: Pick<DeliveriesTable, 'account_id' | 'alert_channel_id' | 'check_id' | 'id'>): boolean;
}

/**
 * Locks these channels; omits those that another process is claiming from. Deliveries left by a dead process are due
 * before later ones (docs/decisions/0014).
 */
export async function scanOthers<Lane extends ChannelKey>(
  session: Session,
  lanes: readonly Lane[],
  { owner, now, leaseMs }: Pick<DeliveryClaim, 'owner' | 'now' | 'leaseMs'>,
): Promise<Elsewhere<Lane>> {
  if (lanes.length === 0) return { lanes, count: () => 0, held: [], isBehind: () => false };
  const keys = lanes.map(lockOf);
  const places = columnsOf(lanes, 'account_id', 'alert_channel_id');
  // Statements after the first see everything committed before the locks were acquired.
  const [locked, , leased] = await Promise.all([
    session.query<{ key: number }>(
      'SELECT key FROM unnest($1::int[]) AS wanted (key) WHERE pg_try_advisory_xact_lock($2, key)',
      [[...new Set(keys)], lockSpace],
    ),
    // A renewal has made earlier ones due.
    session.query(leftIn(), [...places, owner, now, now - 2 * leaseMs]),
    session.query<LeasedRow>(
      `SELECT d.account_id, d.alert_channel_id, d.check_id, d.id, d.next_attempt_at FROM ${leasedOfLanes('')} d
       WHERE d.leased_by <> $3`,
      [...places, owner],
    ),
  ]);
  const mine = new Set(locked.map(({ key }) => key));
  const held = leased.filter((row) => row.next_attempt_at > now);
  const left = Map.groupBy(
    leased.filter((row) => row.next_attempt_at <= now && row.check_id !== null),
    checkName,
  );
  const counts = new Map<string, number>();
  for (const row of held) counts.set(channelKey(row), (counts.get(channelKey(row)) ?? 0) + 1);
  return {
    lanes: lanes.filter((_, index) => mine.has(keys[index] ?? -1)),
    count: (lane) => counts.get(channelKey(lane)) ?? 0,
    held: held.flatMap(({ account_id, alert_channel_id, check_id }) =>
      check_id === null ? [] : { account_id, alert_channel_id, check_id },
    ),
    isBehind: (row) => {
      const first = left.get(checkName(row));
      return first !== undefined && first.every(({ id }) => idText(id) !== idText(row.id));
    },
  };
}

type LeasedRow = ChannelKey & Pick<DeliveriesTable, 'check_id' | 'id'> & { readonly next_attempt_at: number };

function checkName(row: ChannelKey & Pick<DeliveriesTable, 'check_id'>): string {
  return `${channelKey(row)}/${row.check_id === null ? '' : idText(row.check_id)}`;
}

/** Leased deliveries of the channels in `$1` and `$2`, found channel by channel. */
function leasedOfLanes(where: string): string {
  return `(SELECT d.* FROM unnest($1::bytea[], $2::bigint[]) AS l (account_id, alert_channel_id)
    CROSS JOIN LATERAL (
      SELECT * FROM deliveries d WHERE d.leased_by IS NOT NULL AND d.account_id = l.account_id
        AND d.alert_channel_id = l.alert_channel_id ${where} OFFSET 0) d)`;
}

/**
 * The same as `bringForward` for these channels, without what a renewal has done. Finds rows by key: the condition on
 * the owner is written so that the index of leases is not used.
 */
function leftIn(): string {
  const left = leasedOfLanes('AND d.next_attempt_at > $5 AND d.next_attempt_at <= $4');
  return broughtForward(
    `SELECT d.account_id, d.id FROM deliveries d JOIN ${left} l ON d.account_id = l.account_id AND d.id = l.id
     WHERE coalesce(d.leased_by, $3) <> $3 AND d.next_attempt_at <= $4 AND d.next_attempt_at > d.created_at`,
  );
}

/**
 * Makes deliveries left by dead processes due before later ones (docs/decisions/0014), and those that this process has
 * leased without knowing, because the response to its claim was lost.
 * @param underWay what it knows of
 */
export async function bringForward(
  session: Session,
  { owner, now }: Pick<DeliveryClaim, 'owner' | 'now'>,
  inProgress: readonly IdBytes[],
): Promise<void> {
  const left = `SELECT d.account_id, d.id FROM deliveries d
    WHERE d.leased_by IS NOT NULL AND d.next_attempt_at > d.created_at
      AND (d.leased_by <> $1 AND d.next_attempt_at <= $2
        OR d.leased_by = $1 AND d.id NOT IN (SELECT unnest($3::bytea[])))`;
  await session.query(broughtForward(left), [owner, now, inProgress]);
}

/**
 * Makes deliveries due at their creation time. Keeps their owner, who may be slow instead of dead. Does not wait for a
 * process that is settling one of them.
 */
function broughtForward(left: string): string {
  return `WITH left_behind AS (${left} FOR UPDATE OF d SKIP LOCKED)
    UPDATE deliveries d SET next_attempt_at = d.created_at FROM left_behind l
    WHERE d.account_id = l.account_id AND d.id = l.id`;
}

function lockOf({ account_id, alert_channel_id }: ChannelKey): number {
  const account = Buffer.from(account_id.buffer, account_id.byteOffset, account_id.byteLength).readUInt32BE(12);
  return (account + alert_channel_id) % locks;
}

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
    columnsOf(wanted, 'account_id', 'alert_channel_id'),
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
