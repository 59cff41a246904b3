// Waiting deliveries: statements of the step `send-deliveries`. A lease is the delivery's next due time.
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { AlertType } from '#domain/alerts/alert.ts';
import {
  type Attempt,
  type Delivery,
  type DeliveryStatus,
  type DueDelivery,
  type Message,
  waitReason,
} from '#domain/deliveries/delivery.ts';
import { subscribersChannel, subscribersChannelId } from '#domain/deliveries/page-news.ts';
import { channelOf } from '../../channels/alert-channel-row.ts';
import { isFirstAttempt, postponedAtOnce } from '../../channels/requested-delay.ts';
import { settledColumns } from '../../channels/cancel-reminders.ts';
import { orphanedReason, sortDue, sortFirsts } from './sort-due.ts';
import { supersededColumn, supersededReasonOf } from './superseding.ts';
import { type IdBytes, idBytes, idOfDigits, idText, parsedOrNull } from '../../base/codec.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import {
  type ClaimedDeliveries,
  type ClaimedDelivery,
  type DeliveryClaim,
  exchangeText,
  interruptedAttempt,
  isInterrupted,
  maxLanes,
  type SettledAttempt,
  type SettleRules,
} from '../../channels/delivery-rows.ts';
import type { AlertChannelsTable, DeliveriesTable } from '../../base/tables/schema.ts';
import { type Connection, runStatements } from '../../engines/sqlite/connection.ts';
import { isDueAgain, type Lane, nextClaimAt, walkLanes } from './walk-lanes.ts';
import { noteOutcomes } from './channel-outcomes.ts';
import { outcomeEngine } from './sqlite-channel-outcomes.ts';

const pending = deliveryStatusCodes.encode('pending');

/**
 * Claims due deliveries, oldest first within each channel, and records the start of their attempts. Iterates over the
 * channels by index, so that a long queue costs no more than a single row, and starts where the last iteration ended,
 * so that the first channels do not use all capacity.
 */
export function claimDeliveries(connection: Connection, claim: DeliveryClaim): ClaimedDeliveries {
  const claimed: ClaimedDelivery[] = [];
  const scanned: ClaimedDeliveries['scanned'][number][] = [];
  const walk = walkLanes(lanesFrom(connection, claim), claim, (lane, room) => {
    const { taken, nextAt, isScanned } = claimLane(connection, lane, room, claim);
    if (isScanned) scanned.push({ accountId: lane.accountId, alertChannelId: lane.alert_channel_id });
    claimed.push(...taken);
    return { count: taken.length, nextAt };
  });
  return { claimed, nextDueAt: nextClaimAt(walk, claimed.length, claim.now), scanned };
}

/** Each channel is found when it is its turn: a claim is often full after a few. */
function* lanesFrom(
  connection: Connection,
  { place, without }: Pick<DeliveryClaim, 'place' | 'without'>,
): Generator<Lane, boolean> {
  const laneAfter = laneFinder(connection);
  const after = (at: LanePlace): Lane | undefined => laneAfter(at) ?? laneAfter(beforeAll);
  const seen = new Set<string>();
  const { accountId: from, alertChannelId } = place;
  let lane = after({ account_id: from, accountId: idText(from), alert_channel_id: alertChannelId });
  while (lane !== undefined) {
    const name = `${lane.accountId}/${lane.alert_channel_id}`;
    if (seen.has(name)) return true;
    if (seen.size === maxLanes) return false;
    seen.add(name);
    if (without?.has(lane.accountId) === true) lane = after({ ...lane, alert_channel_id: lastChannel });
    else {
      yield lane;
      lane = after(lane);
    }
  }
  return true;
}

type LanePlace = Omit<Lane, 'next_attempt_at'>;

/** After every channel of an account. */
const lastChannel = Number.MAX_SAFE_INTEGER;
const beforeAll: LanePlace = { account_id: new Uint8Array(), accountId: '', alert_channel_id: 0 };

/**
 * Finds the next channel in the order of accounts and channels, with its earliest delivery. Two statements, because for
 * `(account_id, alert_channel_id) > (?, ?)` SQLite would read every entry of the previous channel.
 */
function laneFinder(connection: Connection): (place: LanePlace) => Lane | undefined {
  const sameAccount = connection.select<Pick<Lane, 'alert_channel_id' | 'next_attempt_at'>>(
    `SELECT alert_channel_id, next_attempt_at FROM deliveries WHERE status = ${pending} AND account_id = ?
     AND alert_channel_id > ? ORDER BY alert_channel_id, next_attempt_at LIMIT 1`,
  );
  const nextAccount = connection.select<Omit<Lane, 'accountId'>>(
    `SELECT account_id, alert_channel_id, next_attempt_at FROM deliveries WHERE status = ${pending} AND account_id > ?
     ORDER BY account_id, alert_channel_id, next_attempt_at LIMIT 1`,
  );
  return ({ account_id, accountId, alert_channel_id }) => {
    const [same] = sameAccount(account_id, alert_channel_id);
    if (same !== undefined) return { account_id, accountId, ...same };
    const [next] = nextAccount(account_id);
    return next === undefined ? undefined : { accountId: idText(next.account_id), ...next };
  };
}

interface Taken {
  readonly taken: readonly ClaimedDelivery[];
  /** When the channel is considered again, if it has capacity then; epoch ms, null = when more arrives. */
  readonly nextAt: number | null;
  /** Whether everything due was found, and the rest waits for attempts in progress. */
  readonly isScanned: boolean;
}

function claimLane(connection: Connection, lane: Lane, room: number, claim: DeliveryClaim): Taken {
  const { account_id, accountId, alert_channel_id } = lane;
  const busy = claim.busy(accountId, alert_channel_id);
  const due = dueRows(connection, lane, room, busy, claim);
  const found = readChannel(connection, lane, claim);
  const end = (row: DueRow, status: DeliveryStatus, error: string): void => {
    if (isInterrupted(row)) logInterrupted(connection, lane, row, claim.now, null);
    endDelivery(connection, lane, row, status, error);
  };
  const { superseded, firsts } = sortDue(due, ({ check_digits }) => (check_digits === '' ? null : check_digits));
  for (const row of superseded) end(row, 'superseded', supersededReasonOf(row));
  const { orphaned, waiting, ready: rows } = sortFirsts(firsts, () => found?.delayedUntil, claim.now);
  for (const row of orphaned) end(row, 'cancelled', orphanedReason);
  // The others of their checks are cancelled next.
  if (found === null) return { taken: [], nextAt: due.length > 0 ? claim.now : null, isScanned: false };
  const { channel, delayedUntil } = found;
  const isWaiting = waiting.length > 0;
  if (isWaiting && delayedUntil !== null) postpone(connection, lane, delayedUntil, claim.now);
  const isFull = due.length >= room;
  const isAgain = isDueAgain({
    due: due.length,
    firsts: firsts.length,
    superseded: superseded.length,
    unsent: waiting.length,
    isFull,
  });
  const nextAt = isAgain ? claim.now : isFull ? null : dueAfter(connection, lane, claim.now);
  const lease = connection.prepare(
    'UPDATE deliveries SET next_attempt_at = ?, leased_by = ?, attempt_started_at = ? WHERE rowid = ? AND account_id = ?',
  );
  const taken = rows.map((row) => {
    const request = parsedOrNull<Message>(row.request);
    lease.run(claim.now + claim.leaseMs, claim.owner, claim.now, row.row, account_id);
    if (isInterrupted(row)) logInterrupted(connection, lane, row, claim.now, claim.now);
    const delivery: DueDelivery = {
      accountId,
      id: idOfDigits(row.id_digits),
      alertChannelId: alert_channel_id,
      checkId: idOfDigitsOrNull(row.check_digits),
      alertType: row.alert_type as AlertType,
      request,
      createdAt: row.created_at,
      replayOf: idOfDigitsOrNull(row.replayed_digits),
      isTest: row.is_test === 1,
    };
    return { delivery, channel, number: row.attempts + 1, delayedUntil };
  });
  return { taken, nextAt, isScanned: !isAgain && !isFull && busy.length > 0 };
}

/**
 * Columns of a delivery that a claim reads. IDs as hex digits, '' = none: byte objects would cost more than the texts
 * that are needed.
 */
interface DueRow extends Pick<
  DeliveriesTable,
  'alert_type' | 'attempts' | 'created_at' | 'attempt_started_at' | 'is_test' | 'is_digest'
> {
  /** Of the delivery, within this transaction. */
  readonly row: number;
  readonly id_digits: string;
  readonly check_digits: string;
  readonly replayed_digits: string;
  readonly request: string | null;
  readonly is_superseded: number;
}

function idOfDigitsOrNull(digits: string): string | null {
  return digits === '' ? null : idOfDigits(digits);
}

/** The oldest due deliveries of a channel, at most `room`; without those that wait for busy checks. */
function dueRows(
  connection: Connection,
  { account_id, accountId, alert_channel_id }: Lane,
  room: number,
  busy: readonly string[],
  { now, scannedFrom }: DeliveryClaim,
): DueRow[] {
  const from = scannedFrom(accountId, alert_channel_id);
  const select = connection.select<DueRow>(dueStatement(busy.length, from > 0));
  const scanned = from > 0 ? [from, from] : [];
  return select(account_id, alert_channel_id, now, ...busy.map(idBytes), ...scanned, room);
}

/**
 * The statement of `dueRows`: without the conditions that most claims do not need. Individual comparisons, because
 * SQLite creates a table for a list.
 */
function dueStatement(busy: number, isScannedPast: boolean): string {
  const others = Array.from({ length: busy }, () => 'd.check_id <> ?').join(' AND ');
  const past = `AND d.next_attempt_at >= ? AND NOT EXISTS (SELECT 1 FROM deliveries o WHERE o.status = ${pending}
    AND o.account_id = d.account_id AND o.alert_channel_id = d.alert_channel_id AND o.next_attempt_at < ?
    AND o.check_id = d.check_id)`;
  return `SELECT d.rowid AS row, hex(d.id) AS id_digits, hex(d.check_id) AS check_digits, d.alert_type,
      d.attempts, d.created_at, d.attempt_started_at, hex(d.replay_of) AS replayed_digits, d.is_test, d.is_digest, r.request,
      ${supersededColumn} AS is_superseded FROM deliveries d
    LEFT JOIN delivery_requests r ON r.account_id = d.account_id AND r.delivery_id = d.id
    WHERE d.status = ${pending} AND d.account_id = ? AND d.alert_channel_id = ? AND d.next_attempt_at <= ?
    ${busy > 0 ? `AND (d.check_id IS NULL OR (${others}))` : ''} ${isScannedPast ? past : ''}
    ORDER BY d.next_attempt_at, d.id LIMIT ?`;
}

/** @param repeatedAt epoch ms; null = its delivery ends now */
function logInterrupted(
  connection: Connection,
  { account_id }: Lane,
  { id_digits, ...row }: DueRow,
  now: number,
  repeatedAt: number | null,
): void {
  const id = idBytes(idOfDigits(id_digits));
  const attempt = interruptedAttempt({ ...row, account_id, id }, now, repeatedAt);
  insertAttempt(connection, attempt, { accountId: account_id, id });
}

/** When the next future delivery of a channel is due, epoch ms; null without any. */
function dueAfter(connection: Connection, { account_id, alert_channel_id }: Lane, now: number): number | null {
  const next = connection
    .prepare(
      `SELECT next_attempt_at AS at FROM deliveries WHERE status = ${pending} AND account_id = ? AND alert_channel_id = ?
         AND next_attempt_at > ? AND leased_by IS NULL ORDER BY next_attempt_at LIMIT 1`,
    )
    .get(account_id, alert_channel_id, now);
  return next === undefined ? null : Number(next['at']);
}

const channelsKept = 2000;

function readChannel(
  connection: Connection,
  { account_id, accountId, alert_channel_id }: Lane,
  { seal, channels }: Pick<DeliveryClaim, 'seal' | 'channels'>,
): { readonly channel: AlertChannel; readonly delayedUntil: number | null } | null {
  if (alert_channel_id === subscribersChannelId) {
    return { channel: subscribersChannel(accountId), delayedUntil: null };
  }
  const key = `${accountId}/${alert_channel_id}`;
  const kept = channels.get(key);
  const [stamp] = connection.select<Pick<AlertChannelsTable, 'updated_at' | 'requested_until'>>(
    'SELECT updated_at, requested_until FROM alert_channels WHERE account_id = ? AND id = ?',
  )(account_id, alert_channel_id);
  if (stamp === undefined) return null;
  const delayedUntil = stamp.requested_until;
  if (kept !== undefined && kept.updatedAt === stamp.updated_at) return { channel: kept, delayedUntil };
  const row = connection
    .prepare('SELECT * FROM alert_channels WHERE account_id = ? AND id = ?')
    .get(account_id, alert_channel_id) as unknown as AlertChannelsTable;
  const channel = channelOf(row, seal);
  if (channels.size >= channelsKept) channels.clear();
  channels.set(key, channel);
  return { channel, delayedUntil };
}

/** Postpones due first attempts, oldest first. */
function postpone(connection: Connection, { account_id, alert_channel_id }: Lane, until: number, now: number): void {
  connection
    .prepare(
      `UPDATE deliveries SET next_attempt_at = ?, error = ? WHERE account_id = ? AND rowid IN (
         SELECT rowid FROM deliveries WHERE status = ${pending} AND account_id = ? AND alert_channel_id = ?
           AND next_attempt_at <= ? AND ${isFirstAttempt} ORDER BY next_attempt_at, id LIMIT ${postponedAtOnce})`,
    )
    .run(until, waitReason(until), account_id, account_id, alert_channel_id, now);
}

/**
 * Records attempts and updates their deliveries; false for those whose lease was lost: another process repeats them.
 */
export function settleAttempts(
  connection: Connection,
  settled: readonly SettledAttempt[],
  rules: SettleRules,
): boolean[] {
  const settle = connection.prepare(
    `UPDATE deliveries SET ${settledColumns('', '?1', '?2', '?3')}, attempts = attempts + 1, leased_by = NULL,
       attempt_started_at = NULL WHERE account_id = ?4 AND id = ?5 AND leased_by = ?6 AND status = ${pending}`,
  );
  const outcomes = settled.map(({ attempt, step }) => {
    const key = { accountId: idBytes(attempt.accountId), id: idBytes(attempt.deliveryId) };
    const { changes } = settle.run(
      deliveryStatusCodes.encode(step.status),
      step.nextAttemptAt,
      step.status === 'delivered' || attempt.error === null ? null : attempt.error.message,
      key.accountId,
      key.id,
      rules.owner,
    );
    if (Number(changes) === 0) return false;
    insertAttempt(connection, attempt, key);
    return true;
  });
  const logged = settled.filter((_, index) => outcomes[index]);
  runStatements(connection, noteOutcomes(outcomeEngine, logged, rules.now));
  return outcomes;
}

/** The key of a delivery as stored. */
interface DeliveryKey {
  readonly accountId: IdBytes;
  readonly id: IdBytes;
}

/** VALUES instead of SELECT: for what might be many rows, SQLite opens a savepoint, which doubles the cost. */
function insertAttempt(connection: Connection, attempt: Attempt, { accountId, id }: DeliveryKey): void {
  connection
    .prepare(
      `INSERT INTO attempts (account_id, delivery_id, position, number, started_at, duration_ms, status, error_class,
         error_message, next_attempt_at, exchange)
       VALUES (?1, ?2, coalesce((SELECT max(position) FROM attempts WHERE account_id = ?1 AND delivery_id = ?2), 0) + 1,
         ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
    )
    .run(
      accountId,
      id,
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
  { account_id }: Lane,
  { row }: DueRow,
  status: DeliveryStatus,
  error: string,
): void {
  connection
    .prepare(
      `UPDATE deliveries SET status = ?, next_attempt_at = NULL, leased_by = NULL, attempt_started_at = NULL, error = ?
       WHERE rowid = ? AND account_id = ?`,
    )
    .run(deliveryStatusCodes.encode(status), error, row, account_id);
}

/** Renews the leases of deliveries in progress. */
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
 * Makes deliveries of dead processes due now, before later ones; their interrupted attempts are recorded when they are
 * claimed.
 */
export function endDeliveryLeases(connection: Connection, now: number): void {
  connection
    .prepare('UPDATE deliveries SET next_attempt_at = min(created_at, ?), leased_by = NULL WHERE leased_by IS NOT NULL')
    .run(now);
}
