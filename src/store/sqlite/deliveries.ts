// Deliveries that wait: the statements of the step `send-deliveries`. A lease is the delivery's next due time.
import type { AlertChannel } from '#domain/alert-channel.ts';
import type { Attempt, Delivery } from '#domain/delivery.ts';
import { channelOf } from '../alert-channel-row.ts';
import { type IdBytes, idBytes, idText } from '../codec.ts';
import { deliveryStatusCodes } from '../codes.ts';
import {
  type ClaimedDeliveries,
  type ClaimedDelivery,
  type DeliveryClaim,
  deliveryOf,
  type DeliveryRow,
  exchangeText,
  firstOfEachCheck,
  interruptedAttempt,
  type SettledAttempt,
  type SettleRules,
} from '../delivery-rows.ts';
import type { AlertChannelsTable, DeliveriesTable } from '../schema.ts';
import type { Connection } from './connection.ts';
import { noteOutcome } from './failing-channels.ts';

const pending = deliveryStatusCodes.encode('pending');

/**
 * Takes due deliveries, the oldest first within each channel, and records that their attempt starts. The channels are
 * walked by index, so one with a long queue costs no more than one with a single row; and in turn, so that the first
 * ones do not take everything: each walk begins where the last one ended.
 */
export function claimDeliveries(connection: Connection, claim: DeliveryClaim): ClaimedDeliveries {
  const laneAfter = laneFinder(connection);
  const claimed: ClaimedDelivery[] = [];
  const looked: ClaimedDeliveries['looked'][number][] = [];
  let nextDueAt: number | null = null;
  const seen = new Set<string>();
  let lane = laneAfter(claim.place.accountId, claim.place.alertChannelId) ?? laneAfter(new Uint8Array(), 0);
  while (lane !== undefined && claimed.length < claim.most) {
    const accountId = idText(lane.account_id);
    const name = `${accountId}/${lane.alert_channel_id}`;
    if (seen.has(name)) return { claimed, nextDueAt, looked };
    seen.add(name);
    const room = claim.room(accountId, lane.alert_channel_id, 0);
    if (room > 0) {
      if (lane.next_attempt_at <= claim.now) {
        const { taken, nextAt, isLooked } = claimLane(connection, lane, room, claim);
        if (isLooked) looked.push({ accountId, alertChannelId: lane.alert_channel_id });
        claimed.push(...taken);
        nextDueAt = earlier(nextDueAt, nextAt);
      } else nextDueAt = earlier(nextDueAt, lane.next_attempt_at);
    }
    claim.place.accountId = lane.account_id;
    claim.place.alertChannelId = lane.alert_channel_id;
    lane = laneAfter(lane.account_id, lane.alert_channel_id) ?? laneAfter(new Uint8Array(), 0);
  }
  return { claimed, nextDueAt: lane === undefined ? nextDueAt : claim.now, looked };
}

/**
 * Finds the channel that follows in the order of accounts and channels, with its earliest delivery. Two statements,
 * because SQLite would read every entry of the channel before for `(account_id, alert_channel_id) > (?, ?)`.
 */
function laneFinder(connection: Connection): (accountId: IdBytes, alertChannelId: number) => LaneRow | undefined {
  const [sameAccount, nextAccount] = ['account_id = ? AND alert_channel_id > ?', 'account_id > ?'].map((place) =>
    connection.prepare(
      `SELECT account_id, alert_channel_id, next_attempt_at FROM deliveries WHERE status = ${pending} AND ${place}
       ORDER BY account_id, alert_channel_id, next_attempt_at LIMIT 1`,
    ),
  );
  return (accountId, alertChannelId) =>
    (sameAccount?.get(accountId, alertChannelId) ?? nextAccount?.get(accountId)) as LaneRow | undefined;
}

type LaneRow = Pick<DeliveriesTable, 'account_id' | 'alert_channel_id'> & { next_attempt_at: number };

interface Taken {
  readonly taken: readonly ClaimedDelivery[];
  /** When the channel is to be looked at again, if it has room then; epoch ms, null = when more comes. */
  readonly nextAt: number | null;
  /** Whether all that is due was found, and the rest waits for attempts under way. */
  readonly isLooked: boolean;
}

function claimLane(connection: Connection, lane: LaneRow, room: number, claim: DeliveryClaim): Taken {
  const { account_id, alert_channel_id } = lane;
  const accountId = idText(account_id);
  const busy = claim.busy(accountId, alert_channel_id);
  const from = claim.lookedFrom(accountId, alert_channel_id);
  const due = connection
    .prepare(
      `SELECT d.*, r.request FROM deliveries d
       LEFT JOIN delivery_requests r ON r.account_id = d.account_id AND r.delivery_id = d.id
       WHERE d.status = ${pending} AND d.account_id = ? AND d.alert_channel_id = ? AND d.next_attempt_at >= ?
         AND d.next_attempt_at <= ? AND (d.check_id IS NULL OR d.check_id NOT IN (${busy.map(() => '?').join(', ')}))
         AND NOT EXISTS (SELECT 1 FROM deliveries o WHERE o.status = ${pending} AND o.account_id = d.account_id
           AND o.alert_channel_id = d.alert_channel_id AND o.next_attempt_at < ? AND o.check_id = d.check_id)
       ORDER BY d.next_attempt_at, d.id LIMIT ?`,
    )
    .all(account_id, alert_channel_id, from, claim.now, ...busy.map(idBytes), from, room) as unknown as DeliveryRow[];
  const rows = firstOfEachCheck(due);
  const channel = readChannel(connection, account_id, alert_channel_id, claim);
  if (channel === null) {
    for (const row of rows) {
      if (row.attempt_started_at !== null) insertAttempt(connection, interruptedAttempt(row, claim.now, null));
      endDelivery(connection, row, 'cancelled', 'the alert channel is gone');
    }
    return { taken: [], nextAt: null, isLooked: false };
  }
  let nextAt: number | null = null;
  if (due.length < room) nextAt = dueAfter(connection, lane, claim.now);
  // Places were left by what waits for another of its check: the next claim looks past it.
  else if (rows.length < due.length) nextAt = claim.now;
  const lease = connection.prepare(
    'UPDATE deliveries SET next_attempt_at = ?, leased_by = ?, attempt_started_at = ? WHERE account_id = ? AND id = ?',
  );
  const taken = rows.flatMap((row) => {
    if (row.request === null) {
      endDelivery(connection, row, 'failed', 'what it would send is not in the database');
      return [];
    }
    lease.run(claim.now + claim.leaseMs, claim.owner, claim.now, row.account_id, row.id);
    if (row.attempt_started_at !== null) insertAttempt(connection, interruptedAttempt(row, claim.now));
    return {
      delivery: deliveryOf(row),
      channel,
      number: row.attempts + 1,
    };
  });
  return { taken, nextAt, isLooked: due.length < room && busy.length > 0 };
}

/** When the next delivery of a channel is due that is not due yet, epoch ms; null without any. */
function dueAfter(connection: Connection, { account_id, alert_channel_id }: LaneRow, now: number): number | null {
  const next = connection
    .prepare(
      `SELECT next_attempt_at AS at FROM deliveries WHERE status = ${pending} AND account_id = ? AND alert_channel_id = ?
         AND next_attempt_at > ? AND leased_by IS NULL ORDER BY next_attempt_at LIMIT 1`,
    )
    .get(account_id, alert_channel_id, now);
  return next === undefined ? null : Number(next['at']);
}

/** The earlier of two instants of which either may be missing. */
function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

const channelsKept = 2000;

function readChannel(
  connection: Connection,
  accountId: IdBytes,
  id: number,
  { seal, channels }: Pick<DeliveryClaim, 'seal' | 'channels'>,
): AlertChannel | null {
  const key = `${idText(accountId)}/${id}`;
  const kept = channels.get(key);
  const stamp = connection
    .prepare('SELECT updated_at FROM alert_channels WHERE account_id = ? AND id = ?')
    .get(accountId, id);
  if (stamp === undefined) return null;
  if (kept !== undefined && kept.updatedAt === stamp['updated_at']) return kept;
  const row = connection
    .prepare('SELECT * FROM alert_channels WHERE account_id = ? AND id = ?')
    .get(accountId, id) as unknown as AlertChannelsTable;
  const channel = channelOf(row, seal);
  if (channels.size >= channelsKept) channels.clear();
  channels.set(key, channel);
  return channel;
}

/** Logs attempts and moves their deliveries on; false for those whose lease was lost: someone else repeats them. */
export function settleAttempts(
  connection: Connection,
  settled: readonly SettledAttempt[],
  rules: SettleRules,
): boolean[] {
  const settle = connection.prepare(
    `UPDATE deliveries SET status = ?, next_attempt_at = ?, attempts = attempts + 1, leased_by = NULL,
       attempt_started_at = NULL, error = ? WHERE account_id = ? AND id = ? AND leased_by = ? AND status = ${pending}`,
  );
  return settled.map(({ attempt, alertChannelId, isTest, step }) => {
    const { changes } = settle.run(
      deliveryStatusCodes.encode(step.status),
      step.nextAttemptAt,
      step.status === 'delivered' || attempt.error === null ? null : attempt.error.message,
      idBytes(attempt.accountId),
      idBytes(attempt.deliveryId),
      rules.owner,
    );
    if (Number(changes) === 0) return false;
    insertAttempt(connection, attempt);
    if (!isTest) noteOutcome(connection, { attempt, alertChannelId, step }, rules);
    return true;
  });
}

/** VALUES and not SELECT: for what might be many rows SQLite opens a savepoint of its own, which costs as much again. */
function insertAttempt(connection: Connection, attempt: Attempt): void {
  const accountId = idBytes(attempt.accountId);
  const deliveryId = idBytes(attempt.deliveryId);
  connection
    .prepare(
      `INSERT INTO attempts (account_id, delivery_id, position, number, started_at, duration_ms, status, error_class,
         error_message, next_attempt_at, exchange)
       VALUES (?1, ?2, coalesce((SELECT max(position) FROM attempts WHERE account_id = ?1 AND delivery_id = ?2), 0) + 1,
         ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
    )
    .run(
      accountId,
      deliveryId,
      attempt.number,
      Math.trunc(attempt.startedAt),
      Math.round(attempt.durationMs),
      attempt.response?.status ?? null,
      attempt.error?.class ?? null,
      attempt.error?.message ?? null,
      attempt.nextAttemptAt,
      exchangeText(attempt),
    );
}

function endDelivery(
  connection: Connection,
  row: DeliveriesTable,
  status: 'cancelled' | 'failed',
  error: string,
): void {
  connection
    .prepare(
      `UPDATE deliveries SET status = ?, next_attempt_at = NULL, leased_by = NULL, attempt_started_at = NULL, error = ?
       WHERE account_id = ? AND id = ?`,
    )
    .run(deliveryStatusCodes.encode(status), error, row.account_id, row.id);
}

/** Keeps the leases on deliveries that are still under way. */
export function renewDeliveries(
  connection: Connection,
  deliveries: readonly Pick<Delivery, 'accountId' | 'id'>[],
  { owner, now, leaseMs }: Pick<DeliveryClaim, 'owner' | 'now' | 'leaseMs'>,
): void {
  const renew = connection.prepare(
    'UPDATE deliveries SET next_attempt_at = ? WHERE account_id = ? AND id = ? AND leased_by = ?',
  );
  for (const delivery of deliveries) renew.run(now + leaseMs, idBytes(delivery.accountId), idBytes(delivery.id), owner);
}

/**
 * Deliveries held by a process that is gone are due now, before what was made after them; their interrupted attempts are
 * logged when they are taken.
 */
export function endDeliveryLeases(connection: Connection, now: number): void {
  connection
    .prepare('UPDATE deliveries SET next_attempt_at = min(created_at, ?), leased_by = NULL WHERE leased_by IS NOT NULL')
    .run(now);
}
