// Deliveries that wait, in PostgreSQL: taken channel by channel with SKIP LOCKED, settled many at once.
import type { Attempt, Delivery } from '#domain/alerts/delivery.ts';
import { isPostponed } from './asked-wait.ts';
import { settledColumns } from './cancel-reminders.ts';
import { type IdBytes, idBytes, idText } from '../../base/codec.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import {
  type ClaimedDeliveries,
  type ClaimedDelivery,
  type DeliveryClaim,
  deliveryOf,
  type DeliveryRow,
  firstOfEachCheck,
  interruptedAttempt,
  isInterrupted,
  lanesMost,
  lookAgainMs,
  type SettledAttempt,
  type SettleRules,
  type WalkPlace,
  walkStart,
} from './delivery-rows.ts';
import type { DeliveriesTable } from '../../base/tables/schema.ts';
import { type Bulk, inPairs } from '../../engines/postgres/bulk.ts';
import { type ClaimedChannel, channelKey, postpone, readChannels } from '../../engines/postgres/claimed-channels.ts';
import type { Session } from '../../engines/postgres/session.ts';
import { lastPositions, sendAttempts } from './postgres-delivery-rows.ts';
import { noteOutcomes } from './postgres-failing-channels.ts';
import { type HeldCheck, lookElsewhere } from './postgres-shared-channels.ts';

const pending = deliveryStatusCodes.encode('pending');

/** What taking deliveries needs beside the claim. */
type Claim = Omit<DeliveryClaim, 'channels'>;

type LaneRow = Pick<DeliveriesTable, 'account_id' | 'alert_channel_id'> & { next_attempt_at: number };
type Lane = LaneRow & { readonly room: number };

/**
 * Takes due deliveries, the oldest first within each channel, and records that their attempt starts. The channels are
 * walked by index in turn, each walk from where the last one ended (docs/decisions/0014).
 */
export async function claimDeliveries(session: Session, bulk: Bulk, claim: Claim): Promise<ClaimedDeliveries> {
  const { lanes, isWhole } = await lanesFrom(session, claim);
  const chosen: Lane[] = [];
  const dueTimes: number[] = [];
  let looked = 0;
  // Each of them has one delivery at least, so that more would never be taken.
  while (looked < lanes.length && chosen.length < claim.most) {
    const lane = lanes[looked++];
    if (lane === undefined) break;
    const room = claim.room(idText(lane.account_id), lane.alert_channel_id, 0);
    if (room > 0 && lane.next_attempt_at <= claim.now) chosen.push({ ...lane, room });
    else if (room > 0) dueTimes.push(lane.next_attempt_at);
  }
  const beside = claim.isShared ? await dueBesideOthers(session, chosen, claim) : null;
  const { rows, free, looked: seen } = beside?.due ?? (await dueRows(session, chosen, [], claim));
  // Travels with what is asked next.
  const later = laterTimes(session, free, claim.now);
  later.catch(() => undefined);
  if (beside?.isContended === true) dueTimes.push(claim.now + lookAgainMs);
  const firsts = firstOfEachCheck(rows, ({ account_id, alert_channel_id, check_id }) =>
    check_id === null ? null : `${idText(account_id)}/${alert_channel_id}/${idText(check_id)}`,
  );
  // Places were left by what waits for another of its check: the next claim looks past it.
  if (firsts.length < rows.length) dueTimes.push(claim.now);
  const isFull = rows.length >= claim.most;
  const last = isFull ? rows.at(-1) : lanes[looked - 1];
  if (last !== undefined) {
    claim.place.accountId = last.account_id;
    claim.place.alertChannelId = last.alert_channel_id;
  }
  const { claimed, isPostponing } = await claimRows(session, bulk, firsts, claim);
  dueTimes.push(...(await later));
  // More may be due behind what was postponed.
  if (isPostponing) dueTimes.push(claim.now);
  if (isFull || looked < lanes.length) dueTimes.push(claim.now);
  // Of more channels than are walked at once, those that are left are not walked without a rest.
  if (!isWhole) dueTimes.push(claimed.length > 0 ? claim.now : claim.now + lookAgainMs);
  const nextDueAt = dueTimes.length === 0 ? null : Math.min(...dueTimes);
  return { claimed, nextDueAt, looked: isPostponing ? [] : seen };
}

/** The channels with waiting deliveries and the earliest of each, from the place on and once around. */
async function lanesFrom(
  session: Session,
  { place, without = new Set() }: Pick<Claim, 'place' | 'without'>,
): Promise<{ lanes: LaneRow[]; isWhole: boolean }> {
  const isFromBegin = place.accountId.length === 0;
  const left = [...without].map(idBytes);
  const [after, all] = await Promise.all([
    lanesAfter(session, place, left),
    isFromBegin ? [] : lanesAfter(session, walkStart(), left),
  ]);
  if (after.length === lanesMost) return { lanes: after, isWhole: false };
  if (isFromBegin) return { lanes: after, isWhole: true };
  const before = all.slice(0, lanesMost - after.length);
  const end = before.findIndex(
    (lane) =>
      Buffer.compare(lane.account_id, place.accountId) * 2 + Math.sign(lane.alert_channel_id - place.alertChannelId) >
      0,
  );
  const isWhole = end !== -1 || before.length < lanesMost - after.length;
  return { lanes: [...after, ...(end === -1 ? before : before.slice(0, end))], isWhole };
}

/** Each step is one look into the index, however many deliveries a channel has. */
function lanesAfter(
  session: Session,
  { accountId, alertChannelId }: WalkPlace,
  without: readonly IdBytes[],
): Promise<LaneRow[]> {
  // Of an account that is left out the first channel alone is read.
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
    [accountId, alertChannelId, lanesMost, without],
  );
}

/** The same where other processes deliver too: within what they leave of a channel, and behind what they have of a check. */
async function dueBesideOthers(
  session: Session,
  chosen: readonly Lane[],
  claim: Claim,
): Promise<{ due: Due; isContended: boolean }> {
  const elsewhere = await lookElsewhere(session, chosen, claim);
  const open = elsewhere.lanes.flatMap((lane) => {
    const room = claim.room(idText(lane.account_id), lane.alert_channel_id, elsewhere.count(lane));
    return room > 0 ? { ...lane, room } : [];
  });
  const due = await dueRows(session, open, elsewhere.held, claim);
  const rows = due.rows.filter((row) => !elsewhere.isBehind(row));
  return { due: { ...due, rows }, isContended: elsewhere.lanes.length < chosen.length };
}

interface Due {
  readonly rows: readonly DeliveriesTable[];
  /** Channels that have room for more than is due. */
  readonly free: readonly Lane[];
  readonly looked: ClaimedDeliveries['looked'];
}

/**
 * Due deliveries of the channels in their order, the oldest first within each, held for this transaction; without those whose
 * check has an attempt under way, here or elsewhere.
 */
async function dueRows(
  session: Session,
  lanes: readonly Lane[],
  elsewhere: readonly HeldCheck[],
  { now, most, busy, lookedFrom }: Claim,
): Promise<Due> {
  if (lanes.length === 0) return { rows: [], free: [], looked: [] };
  const here = lanes.flatMap(({ account_id, alert_channel_id }) =>
    busy(idText(account_id), alert_channel_id).map((id) => ({ account_id, alert_channel_id, check_id: idBytes(id) })),
  );
  const held = [...here, ...elsewhere];
  const rows = await session.query<DeliveriesTable>(
    `SELECT d.* FROM unnest($1::bytea[], $2::bigint[], $3::bigint[], $9::bigint[])
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
      ...placesOf(lanes),
      lanes.map(({ room }) => room),
      now,
      most,
      held.map(({ account_id }) => account_id),
      held.map(({ alert_channel_id }) => alert_channel_id),
      held.map(({ check_id }) => check_id),
      lanes.map(({ account_id, alert_channel_id }) => lookedFrom(idText(account_id), alert_channel_id)),
    ],
  );
  if (rows.length >= most) return { rows, free: [], looked: [] };
  const found = Map.groupBy(rows, channelKey);
  const free = lanes.filter((lane) => (found.get(channelKey(lane))?.length ?? 0) < lane.room);
  return { rows, free, looked: lookedChannels(free, elsewhere, busy) };
}

/**
 * When more is due of these channels, epoch ms. Asked only of those that have room for it: what is under way stands in the index
 * at the end of its lease, and stays there, dead, when it has ended.
 */
async function laterTimes(session: Session, lanes: readonly Lane[], now: number): Promise<number[]> {
  if (lanes.length === 0) return [];
  const rows = await session.query<{ at: number }>(
    `SELECT d.next_attempt_at AS at FROM unnest($1::bytea[], $2::bigint[]) AS l (account_id, alert_channel_id)
     CROSS JOIN LATERAL (
       SELECT next_attempt_at FROM deliveries d WHERE d.status = ${pending} AND d.account_id = l.account_id
         AND d.alert_channel_id = l.alert_channel_id AND d.next_attempt_at > $3 AND d.leased_by IS NULL
       ORDER BY d.next_attempt_at LIMIT 1) d`,
    [...placesOf(lanes), now],
  );
  return rows.map(({ at }) => at);
}

function placesOf(lanes: readonly Lane[]): [IdBytes[], number[]] {
  return [lanes.map((lane) => lane.account_id), lanes.map((lane) => lane.alert_channel_id)];
}

/** Channels of which all that is due was found, and of which an attempt is under way here: the rest waits for it. */
function lookedChannels(
  free: readonly Lane[],
  elsewhere: readonly HeldCheck[],
  busy: Claim['busy'],
): ClaimedDeliveries['looked'] {
  // When an attempt of another process ends is not seen here.
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
): Promise<{ claimed: ClaimedDelivery[]; isPostponing: boolean }> {
  if (rows.length === 0) return { claimed: [], isPostponing: false };
  const [channels, all] = await Promise.all([readChannels(session, rows, claim.seal), withRequests(session, rows)]);
  const orphaned = all.filter((row) => !channels.has(channelKey(row)));
  await logCutOff(session, bulk, orphaned, (row) => interruptedAttempt(row, claim.now, null));
  cancel(session, orphaned, 'the alert channel was deleted');
  const whole = all.filter((row) => channels.has(channelKey(row)));
  const isWaiting = (row: DeliveryRow): boolean =>
    isPostponed(row, channels.get(channelKey(row))?.askedUntil ?? null, claim.now);
  const [waiting, ready] = [whole.filter(isWaiting), whole.filter((row) => !isWaiting(row))];
  await postpone(session, waiting, channels, claim.now);
  const claimed = ready.length === 0 ? [] : await lease(session, bulk, ready, channels, claim);
  return { claimed, isPostponing: waiting.length > 0 };
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
    [...keysOf(rows), now + leaseMs, owner, now],
  );
  await logCutOff(session, bulk, rows, (row) => interruptedAttempt(row, now));
  return rows.flatMap((row) => {
    const found = channels.get(channelKey(row));
    return found === undefined ? [] : [{ ...found, delivery: deliveryOf(row), number: row.attempts + 1 }];
  });
}

/** Logs the attempts of these deliveries that nobody ended. */
async function logCutOff(
  session: Session,
  bulk: Bulk,
  rows: readonly DeliveryRow[],
  attemptOf: (row: DeliveryRow) => Attempt,
): Promise<void> {
  const cutOff = rows.filter(isInterrupted).map(attemptOf);
  sendAttempts(bulk, cutOff, await lastPositions(session, cutOff));
}

function keysOf(rows: readonly DeliveriesTable[]): [IdBytes[], IdBytes[]] {
  return [rows.map((row) => row.account_id), rows.map((row) => row.id)];
}

async function withRequests(session: Session, rows: readonly DeliveriesTable[]): Promise<DeliveryRow[]> {
  const requests = await session.query<{ id: IdBytes; request: string }>(
    `SELECT delivery_id AS id, request FROM delivery_requests WHERE ${inPairs('(account_id, delivery_id)', 1)}`,
    keysOf(rows),
  );
  const requestOf = new Map(requests.map(({ id, request }) => [idText(id), request]));
  return rows.map((row) => ({ ...row, request: requestOf.get(idText(row.id)) ?? null }));
}

function cancel(session: Session, rows: readonly DeliveriesTable[], error: string): void {
  if (rows.length === 0) return;
  session.send(
    `UPDATE deliveries SET status = $3, next_attempt_at = NULL, leased_by = NULL, attempt_started_at = NULL, error = $4
     WHERE ${inPairs('(account_id, id)', 1)}`,
    [...keysOf(rows), deliveryStatusCodes.encode('cancelled'), error],
  );
}

/**
 * Whether the owner in a place among the values holds a delivery that is named by its key. Written so that the index of what is
 * leased is no way to it: by that one each of a batch would be looked for among all that its account has under way, dead entries
 * included.
 */
function heldBy(column: string, place: number): string {
  return `${column} IS NOT DISTINCT FROM $${place}`;
}

/** Logs attempts and moves their deliveries on; false for those whose lease was lost: someone else repeats them. */
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
     WHERE d.account_id = s.account_id AND d.id = s.id AND ${heldBy('d.leased_by', 6)} AND d.status = ${pending}
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
  // What is logged is read behind the update, which holds the deliveries.
  const [moved, positions] = await Promise.all([moving, lastPositions(session, attempts)]);
  // Of two attempts of one delivery only the first holds it.
  const held = new Set(moved.map(({ id }) => idText(id)));
  const outcomes = settled.map(({ attempt }) => held.delete(attempt.deliveryId));
  const logged = settled.filter((_, index) => outcomes[index]);
  sendAttempts(
    bulk,
    logged.map(({ attempt }) => attempt),
    positions,
  );
  await noteOutcomes(
    session,
    logged.filter(({ isTest }) => !isTest),
    rules.now,
  );
  return outcomes;
}

/** Keeps the leases on deliveries that are still under way. */
export async function renewDeliveries(
  session: Session,
  deliveries: readonly Pick<Delivery, 'accountId' | 'id'>[],
  { owner, now, leaseMs }: Pick<DeliveryClaim, 'owner' | 'now' | 'leaseMs'>,
): Promise<void> {
  await session.query(
    // What is being settled needs no lease any more: to wait for it would hold up the claims behind this.
    `WITH mine AS (SELECT account_id, id FROM deliveries
       WHERE ${inPairs('(account_id, id)', 1)} AND ${heldBy('leased_by', 4)} FOR UPDATE SKIP LOCKED)
     UPDATE deliveries d SET next_attempt_at = $3 FROM mine m WHERE d.account_id = m.account_id AND d.id = m.id`,
    [
      deliveries.map(({ accountId }) => idBytes(accountId)),
      deliveries.map(({ id }) => idBytes(id)),
      now + leaseMs,
      owner,
    ],
  );
}
