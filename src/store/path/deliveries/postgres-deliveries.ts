// Waiting deliveries in PostgreSQL: claimed channel by channel with SKIP LOCKED, settled in batches.
import type { Attempt, Delivery, DeliveryStatus } from '#domain/deliveries/delivery.ts';
import { settledColumns } from '../../channels/cancel-reminders.ts';
import { orphanedReason, sortDue, sortFirsts } from './sort-due.ts';
import { supersededColumn, supersededReasonOf } from './superseding.ts';
import { type IdBytes, idBytes, idText } from '../../base/codec.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import {
  type ClaimedDeliveries,
  type ClaimedDelivery,
  type DeliveryClaim,
  deliveryOf,
  type DeliveryRow,
  interruptedAttempt,
  isInterrupted,
  maxLanes,
  retryMs,
  type SettledAttempt,
  type SettleRules,
  type WalkPlace,
  walkStart,
} from '../../channels/delivery-rows.ts';
import type { DeliveriesTable } from '../../base/tables/schema.ts';
import { type Bulk, inPairs, columnsOf } from '../../engines/postgres/bulk.ts';
import {
  type ClaimedChannel,
  channelKey,
  postpone,
  readChannels,
  type LeasedCheck,
  scanOthers,
} from './postgres-channels.ts';
import type { Session } from '../../engines/postgres/session.ts';
import { runStatements } from '../../engines/postgres/statements.ts';
import { lastPositions, sendAttempts } from './postgres-delivery-rows.ts';
import { outcomeEngine } from './postgres-channel-outcomes.ts';
import { isDueAgain, type Lane, type LaneOrder, nextClaimAt, walkLanes } from './walk-lanes.ts';
import { noteOutcomes } from './channel-outcomes.ts';

const pending = deliveryStatusCodes.encode('pending');

/** Dependencies of claiming. */
type Claim = Omit<DeliveryClaim, 'channels'>;

type LaneRow = Omit<Lane, 'accountId'>;
type ChosenLane = Lane & { readonly room: number };

/**
 * Claims due deliveries, oldest first within each channel, and records the start of their attempts. Iterates over the
 * channels by index, from where the last iteration ended (docs/decisions/0014).
 */
export async function claimDeliveries(session: Session, bulk: Bulk, claim: Claim): Promise<ClaimedDeliveries> {
  const chosen: ChosenLane[] = [];
  const walk = walkLanes(await lanesFrom(session, claim), claim, (lane, room) => {
    chosen.push({ ...lane, room });
    // Each of them has at least one delivery, so more would never be claimed.
    return { count: 1, nextAt: null };
  });
  const shared = claim.isShared ? await dueWithOthers(session, chosen, claim) : null;
  const { rows, free, scanned } = shared?.due ?? (await dueRows(session, chosen, [], claim));
  // Sent with the next statement.
  const later = laterTimes(session, free, claim.now);
  later.catch(() => undefined);
  const { superseded, firsts } = sortDue(rows, (row) =>
    row.check_id === null ? null : `${channelKey(row)}/${idText(row.check_id)}`,
  );
  const isFull = rows.length >= claim.max;
  const last = isFull ? rows.at(-1) : undefined;
  if (last !== undefined) {
    claim.place.accountId = last.account_id;
    claim.place.alertChannelId = last.alert_channel_id;
  }
  await supersede(session, bulk, superseded, claim);
  const { claimed, unsent } = await claimRows(session, bulk, firsts, claim);
  const isAgain = isDueAgain({
    due: rows.length,
    firsts: firsts.length,
    superseded: superseded.length,
    unsent,
    isFull: free.length < chosen.length,
  });
  const dueTimes = [...walk.dueTimes, ...(await later)];
  if (isAgain) dueTimes.push(claim.now);
  if (shared?.isContended === true) dueTimes.push(claim.now + retryMs);
  const nextDueAt = nextClaimAt({ dueTimes, end: isFull ? 'full' : walk.end }, claimed.length, claim.now);
  return { claimed, nextDueAt, scanned: unsent > 0 || superseded.length > 0 ? [] : scanned };
}

/** The channels with waiting deliveries and the earliest of each, starting at a position and wrapping around. */
async function lanesFrom(
  session: Session,
  { place, without = new Set() }: Pick<Claim, 'place' | 'without'>,
): Promise<LaneOrder> {
  const isFromBegin = place.accountId.length === 0;
  const left = [...without].map(idBytes);
  const [after, all] = await Promise.all([
    lanesAfter(session, place, left),
    isFromBegin ? [] : lanesAfter(session, walkStart(), left),
  ]);
  if (after.length === maxLanes) return inOrder(after, false, without);
  if (isFromBegin) return inOrder(after, true, without);
  const before = all.slice(0, maxLanes - after.length);
  const end = before.findIndex(
    (lane) =>
      Buffer.compare(lane.account_id, place.accountId) * 2 + Math.sign(lane.alert_channel_id - place.alertChannelId) >
      0,
  );
  const isWhole = end !== -1 || before.length < maxLanes - after.length;
  return inOrder([...after, ...(end === -1 ? before : before.slice(0, end))], isWhole, without);
}

function* inOrder(rows: readonly LaneRow[], isWhole: boolean, without: ReadonlySet<string>): Generator<Lane, boolean> {
  for (const row of rows) {
    const accountId = idText(row.account_id);
    if (!without.has(accountId)) yield { ...row, accountId };
  }
  return isWhole;
}

/** Each step is an index lookup, however many deliveries a channel has. */
function lanesAfter(
  session: Session,
  { accountId, alertChannelId }: WalkPlace,
  without: readonly IdBytes[],
): Promise<LaneRow[]> {
  // For a skipped account, only the first channel is read.
  const after = (account: string, channel: string): string =>
    `(${account}, CASE WHEN ${account} = ANY($4::bytea[]) THEN ${Number.MAX_SAFE_INTEGER} ELSE ${channel} END)`;
  const first = (place: string): string =>
    `(SELECT account_id, alert_channel_id, next_attempt_at FROM deliveries
      WHERE status = ${pending} AND (account_id, alert_channel_id) > ${place}
      ORDER BY account_id, alert_channel_id, next_attempt_at LIMIT 1)`;
  return session.query<LaneRow>(
    `WITH RECURSIVE lane AS (
       ${first(after('$1::bytea', '$2::bigint'))}
       UNION ALL
       SELECT next.* FROM lane CROSS JOIN LATERAL ${first(after('lane.account_id', 'lane.alert_channel_id'))} next)
     SELECT * FROM lane LIMIT $3`,
    [accountId, alertChannelId, maxLanes, without],
  );
}

/** The same if other processes deliver, too: respects their share of a channel and their attempts of a check. */
async function dueWithOthers(
  session: Session,
  chosen: readonly ChosenLane[],
  claim: Claim,
): Promise<{ due: Due; isContended: boolean }> {
  const elsewhere = await scanOthers(session, chosen, claim);
  const open = elsewhere.lanes.flatMap((lane) => {
    const room = claim.room(idText(lane.account_id), lane.alert_channel_id, elsewhere.count(lane));
    return room > 0 ? { ...lane, room } : [];
  });
  const due = await dueRows(session, open, elsewhere.held, claim);
  const rows = due.rows.filter((row) => !elsewhere.isBehind(row));
  return { due: { ...due, rows }, isContended: elsewhere.lanes.length < chosen.length };
}

type DueRow = DeliveriesTable & { readonly is_superseded: number };

interface Due {
  readonly rows: readonly DueRow[];
  /** Channels with more capacity than due deliveries. */
  readonly free: readonly ChosenLane[];
  readonly scanned: ClaimedDeliveries['scanned'];
}

/**
 * Due deliveries in the order of the channels, oldest first within each, locked for this transaction; without those
 * whose check has an attempt in progress anywhere.
 */
async function dueRows(
  session: Session,
  lanes: readonly ChosenLane[],
  elsewhere: readonly LeasedCheck[],
  { now, max, busy, scannedFrom }: Claim,
): Promise<Due> {
  if (lanes.length === 0) return { rows: [], free: [], scanned: [] };
  const here = lanes.flatMap(({ account_id, alert_channel_id }) =>
    busy(idText(account_id), alert_channel_id).map((id) => ({ account_id, alert_channel_id, check_id: idBytes(id) })),
  );
  const held = [...here, ...elsewhere];
  const rows = await session.query<DueRow>(
    `SELECT d.*, ${supersededColumn} AS is_superseded FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $9::bigint[])
       AS l (account_id, alert_channel_id, room, looked_from)
     CROSS JOIN LATERAL (
       SELECT * FROM deliveries d WHERE d.status = ${pending} AND d.account_id = l.account_id
         AND d.alert_channel_id = l.alert_channel_id AND d.next_attempt_at >= l.looked_from AND d.next_attempt_at <= $4
         AND (d.check_id IS NULL OR (d.account_id, d.alert_channel_id, d.check_id)
           NOT IN (SELECT * FROM unnest($6::bytea[], $7::bigint[], $8::bytea[])))
         AND NOT EXISTS (SELECT FROM deliveries o WHERE o.status = ${pending} AND o.account_id = l.account_id
           AND o.alert_channel_id = l.alert_channel_id AND o.next_attempt_at < l.looked_from AND o.check_id = d.check_id)
       ORDER BY d.next_attempt_at, d.id LIMIT l.room FOR UPDATE SKIP LOCKED) d
     LIMIT $5`,
    [
      ...columnsOf(lanes, 'account_id', 'alert_channel_id'),
      lanes.map(({ room }) => room),
      now,
      max,
      ...columnsOf(held, 'account_id', 'alert_channel_id', 'check_id'),
      lanes.map(({ account_id, alert_channel_id }) => scannedFrom(idText(account_id), alert_channel_id)),
    ],
  );
  if (rows.length >= max) return { rows, free: [], scanned: [] };
  const found = Map.groupBy(rows, channelKey);
  const free = lanes.filter((lane) => (found.get(channelKey(lane))?.length ?? 0) < lane.room);
  return { rows, free, scanned: scannedChannels(free, elsewhere, busy) };
}

/**
 * When more deliveries of these channels are due, epoch ms. Only for channels with capacity: deliveries in progress are
 * in the index at the end of their lease, where dead entries remain.
 */
async function laterTimes(session: Session, lanes: readonly Lane[], now: number): Promise<number[]> {
  if (lanes.length === 0) return [];
  const rows = await session.query<{ at: number }>(
    `SELECT d.next_attempt_at AS at FROM unnest($1::bytea[], $2::bigint[]) AS l (account_id, alert_channel_id)
     CROSS JOIN LATERAL (
       SELECT next_attempt_at FROM deliveries d WHERE d.status = ${pending} AND d.account_id = l.account_id
         AND d.alert_channel_id = l.alert_channel_id AND d.next_attempt_at > $3 AND d.leased_by IS NULL
       ORDER BY d.next_attempt_at LIMIT 1) d`,
    [...columnsOf(lanes, 'account_id', 'alert_channel_id'), now],
  );
  return rows.map(({ at }) => at);
}

/** Channels of which everything due was found and which have an attempt in progress here: the rest waits for it. */
function scannedChannels(
  free: readonly Lane[],
  elsewhere: readonly LeasedCheck[],
  busy: Claim['busy'],
): ClaimedDeliveries['scanned'] {
  // The end of an attempt in another process is not visible here.
  const heldElsewhere = new Set(elsewhere.map(channelKey));
  return free.flatMap((lane) => {
    if (heldElsewhere.has(channelKey(lane))) return [];
    const channel = { accountId: idText(lane.account_id), alertChannelId: lane.alert_channel_id };
    return busy(channel.accountId, channel.alertChannelId).length > 0 ? channel : [];
  });
}

async function claimRows(
  session: Session,
  bulk: Bulk,
  rows: readonly DeliveriesTable[],
  claim: Claim,
): Promise<{ claimed: ClaimedDelivery[]; unsent: number }> {
  if (rows.length === 0) return { claimed: [], unsent: 0 };
  const [channels, all] = await Promise.all([readChannels(session, rows, claim.seal), withRequests(session, rows)]);
  const delayedUntilOf = (row: DeliveryRow) => channels.get(channelKey(row))?.delayedUntil;
  const { orphaned, waiting, ready } = sortFirsts(all, delayedUntilOf, claim.now);
  await logCutOff(session, bulk, orphaned, (row) => interruptedAttempt(row, claim.now, null));
  end(session, orphaned, 'cancelled', orphanedReason);
  await postpone(session, waiting, channels, claim.now);
  const claimed = ready.length === 0 ? [] : await lease(session, bulk, ready, channels, claim);
  return { claimed, unsent: waiting.length + orphaned.length };
}

async function supersede(
  session: Session,
  bulk: Bulk,
  superseded: readonly DueRow[],
  { now }: Pick<Claim, 'now'>,
): Promise<void> {
  if (superseded.length === 0) return;
  await logCutOff(session, bulk, await withRequests(session, superseded), (row) => interruptedAttempt(row, now, null));
  for (const [reason, rows] of Map.groupBy(superseded, supersededReasonOf)) end(session, rows, 'superseded', reason);
}

async function lease(
  session: Session,
  bulk: Bulk,
  rows: readonly DeliveryRow[],
  channels: ReadonlyMap<string, ClaimedChannel>,
  { now, leaseMs, owner }: Claim,
): Promise<ClaimedDelivery[]> {
  session.send(
    `UPDATE deliveries SET next_attempt_at = $3, leased_by = $4, attempt_started_at = $5
     WHERE ${inPairs('(account_id, id)', 1)}`,
    [...columnsOf(rows, 'account_id', 'id'), now + leaseMs, owner, now],
  );
  await logCutOff(session, bulk, rows, (row) => interruptedAttempt(row, now));
  return rows.flatMap((row) => {
    const found = channels.get(channelKey(row));
    return found === undefined ? [] : [{ ...found, delivery: deliveryOf(row), number: row.attempts + 1 }];
  });
}

/** Records interrupted attempts of these deliveries. */
async function logCutOff(
  session: Session,
  bulk: Bulk,
  rows: readonly DeliveryRow[],
  attemptOf: (row: DeliveryRow) => Attempt,
): Promise<void> {
  const cutOff = rows.filter(isInterrupted).map(attemptOf);
  sendAttempts(bulk, cutOff, await lastPositions(session, cutOff));
}

async function withRequests(session: Session, rows: readonly DeliveriesTable[]): Promise<DeliveryRow[]> {
  const requests = await session.query<{ id: IdBytes; request: string }>(
    `SELECT delivery_id AS id, request FROM delivery_requests WHERE ${inPairs('(account_id, delivery_id)', 1)}`,
    columnsOf(rows, 'account_id', 'id'),
  );
  const requestOf = new Map(requests.map(({ id, request }) => [idText(id), request]));
  return rows.map((row) => ({ ...row, request: requestOf.get(idText(row.id)) ?? null }));
}

function end(session: Session, rows: readonly DeliveriesTable[], status: DeliveryStatus, error: string): void {
  if (rows.length === 0) return;
  session.send(
    `UPDATE deliveries SET status = $3, next_attempt_at = NULL, leased_by = NULL, attempt_started_at = NULL, error = $4
     WHERE ${inPairs('(account_id, id)', 1)}`,
    [...columnsOf(rows, 'account_id', 'id'), deliveryStatusCodes.encode(status), error],
  );
}

/**
 * Whether the owner in a placeholder has leased a delivery that is named by its key. Written so that the index of
 * leases is not used: it would scan everything that the account has in progress, including dead entries.
 */
function leasedBy(column: string, place: number): string {
  return `${column} IS NOT DISTINCT FROM $${place}`;
}

/**
 * Records attempts and updates their deliveries; false for those whose lease was lost: another process repeats them.
 */
export async function settleAttempts(
  session: Session,
  bulk: Bulk,
  settled: readonly SettledAttempt[],
  rules: SettleRules,
): Promise<boolean[]> {
  const attempts = settled.map(({ attempt }) => attempt);
  const moving = session.query<{ id: IdBytes }>(
    `UPDATE deliveries d SET ${settledColumns('d.', 's.status', 's.next_attempt_at', 's.error')},
       attempts = d.attempts + 1, leased_by = NULL, attempt_started_at = NULL
     FROM unnest($1::bytea[], $2::bytea[], $3::smallint[], $4::bigint[], $5::text[])
       AS s (account_id, id, status, next_attempt_at, error)
     WHERE d.account_id = s.account_id AND d.id = s.id AND ${leasedBy('d.leased_by', 6)} AND d.status = ${pending}
     RETURNING d.id`,
    [
      settled.map(({ attempt }) => idBytes(attempt.accountId)),
      settled.map(({ attempt }) => idBytes(attempt.deliveryId)),
      settled.map(({ step }) => deliveryStatusCodes.encode(step.status)),
      settled.map(({ step }) => step.nextAttemptAt),
      settled.map(({ attempt, step }) =>
        step.status === 'delivered' ? null : (attempt.error?.message.replaceAll('\0', '\ufffd') ?? null),
      ),
      rules.owner,
    ],
  );
  // Reads the data to record after the update, which locks the deliveries.
  const [moved, positions] = await Promise.all([moving, lastPositions(session, attempts)]);
  // Of two attempts of a delivery, only the first locks it.
  const held = new Set(moved.map(({ id }) => idText(id)));
  const outcomes = settled.map(({ attempt }) => held.delete(attempt.deliveryId));
  const logged = settled.filter((_, index) => outcomes[index]);
  sendAttempts(
    bulk,
    logged.map(({ attempt }) => attempt),
    positions,
  );
  await runStatements(session, noteOutcomes(outcomeEngine, logged, rules.now));
  return outcomes;
}

/** Renews the leases of deliveries in progress. */
export async function renewDeliveries(
  session: Session,
  deliveries: readonly Pick<Delivery, 'accountId' | 'id'>[],
  { owner, now, leaseMs }: Pick<DeliveryClaim, 'owner' | 'now' | 'leaseMs'>,
): Promise<void> {
  await session.query(
    // Deliveries being settled need no lease: waiting for them would block later claims.
    `WITH mine AS (SELECT account_id, id FROM deliveries
       WHERE ${inPairs('(account_id, id)', 1)} AND ${leasedBy('leased_by', 4)} FOR UPDATE SKIP LOCKED)
     UPDATE deliveries d SET next_attempt_at = $3 FROM mine m WHERE d.account_id = m.account_id AND d.id = m.id`,
    [
      deliveries.map(({ accountId }) => idBytes(accountId)),
      deliveries.map(({ id }) => idBytes(id)),
      now + leaseMs,
      owner,
    ],
  );
}
