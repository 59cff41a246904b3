// Manual changes of a delivery: retry now, cancel, replay.
import { findRow, findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import { type Flapping, messageEveryMs } from '#domain/alerts/flapping.ts';
import type { DeliveryContent } from '#domain/deliveries/delivery.ts';
import { subscribersChannelId } from '#domain/deliveries/page-news.ts';
import { lostStatuses } from '#domain/deliveries/delivery-purpose.ts';
import { newId } from '#lib/id.ts';
import { endWait } from './requested-delay.ts';
import { firstIdAt, type IdBytes, idBytes, idText, json, parsed, parsedOrNull } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import { isChannel } from './active-hours.ts';
import { countDeliveries } from '../base/counts.ts';
import type { Database } from '../base/database.ts';
import { interruptedAttempt, isInterrupted, cancelledColumns, unattempted } from './delivery-rows.ts';
import type { DeliveryContentsTable, DeliveryRequestsTable } from '../base/tables/delivery-tables.ts';
import type { Db, DeliveriesTable } from '../base/tables/schema.ts';

/** Outcome of a change that only some deliveries allow. */
export type DeliveryChange =
  | 'done'
  | 'no-delivery'
  | 'ended'
  | 'under-way'
  | 'collecting'
  | 'not-ended'
  | 'not-rendered'
  | 'no-channel';

const pending = deliveryStatusCodes.encode('pending');
const collecting = deliveryStatusCodes.encode('collecting');
const lost: ReadonlySet<number> = new Set(lostStatuses.map((status) => deliveryStatusCodes.encode(status)));

/** Whether an attempt has leased the delivery. An expired lease does not count: its process is dead. */
function isInProgress(row: DeliveriesTable, now: number): boolean {
  return row.leased_by !== null && (row.next_attempt_at ?? 0) > now;
}

/**
 * Makes a waiting delivery due now; an attempt in progress continues. If it waits because of a delay requested by the
 * receiver, the delay ends for the whole channel.
 */
export async function retryDelivery(tx: Db, accountId: string, id: string, now: number): Promise<DeliveryChange> {
  const row = await findRow(tx, 'deliveries', { account_id: idBytes(accountId), id: idBytes(id) });
  if (row === undefined) return 'no-delivery';
  if (row.status !== pending && row.status !== collecting) return 'ended';
  if (isInProgress(row, now) || (row.next_attempt_at ?? 0) <= now) return 'done';
  // First, as recording locks them in this order.
  if (row.status === collecting && row.check_id !== null) await hastenMessage(tx, row.account_id, row.check_id, now);
  if (row.status === pending && row.attempts === 0) await endWait(tx, accountId, row.alert_channel_id, now);
  await updateRows(tx, 'deliveries', { account_id: row.account_id, id: row.id }, { next_attempt_at: now });
  return 'done';
}

/** Makes the message about a flapping check due, for all channels with held alerts. */
async function hastenMessage(tx: Db, account: IdBytes, check: IdBytes, now: number): Promise<void> {
  const state = () => selectRows(tx, 'check_states', { account_id: account, check_id: check });
  const row = await state().select('flapping').executeTakeFirst();
  const flapping = parsedOrNull<Flapping>(row?.flapping ?? null);
  if (row === undefined || flapping?.since == null) return;
  await tx
    .updateTable('check_states')
    .set({ flapping: json({ ...flapping, notifiedAt: now - messageEveryMs }), flapping_due_at: now })
    .where('account_id', '=', account)
    .where('check_id', '=', check)
    // Otherwise a result arrived, and the message keeps its time.
    .where('flapping', '=', row.flapping)
    .execute();
}

/** Cancels a waiting delivery. An attempt in progress is not cancelled, because its outcome must be recorded. */
export async function cancelDelivery(tx: Db, accountId: string, id: string, now: number): Promise<DeliveryChange> {
  const row = await findRow(tx, 'deliveries', { account_id: idBytes(accountId), id: idBytes(id) });
  if (row === undefined) return 'no-delivery';
  if (row.status === collecting) return 'collecting';
  if (row.status !== pending) return 'ended';
  if (isInProgress(row, now)) return 'under-way';
  await logCutOff(tx, row, now);
  await updateRows(tx, 'deliveries', { account_id: row.account_id, id: row.id }, cancelledColumns);
  return 'done';
}

/** Its last attempt was interrupted and will not be repeated; it is recorded anyway. */
async function logCutOff(tx: Db, row: DeliveriesTable, now: number): Promise<void> {
  const stored = await findRow(tx, 'delivery_requests', { account_id: row.account_id, delivery_id: row.id });
  const known = { ...row, request: stored?.request ?? null };
  if (!isInterrupted(known)) return;
  const attempt = interruptedAttempt(known, now, null);
  const logged = selectRows(tx, 'attempts', { account_id: row.account_id, delivery_id: row.id });
  const { last } = await logged.select(({ fn }) => fn.max('position').as('last')).executeTakeFirstOrThrow();
  await insertRows(tx, 'attempts', {
    account_id: row.account_id,
    delivery_id: row.id,
    position: (last ?? 0) + 1,
    number: attempt.number,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    status: null,
    error_class: attempt.error?.class ?? null,
    error_message: attempt.error?.message ?? null,
    next_attempt_at: null,
    exchange: json({ headers: attempt.headers, response: null }),
  });
}

/** Creates a delivery of the same alert with its own ID, timestamp and attempts. */
export async function replayDelivery(
  tx: Db,
  accountId: string,
  id: string,
  replayId: string,
  now: number,
): Promise<DeliveryChange> {
  const row = await findRow(tx, 'deliveries', { account_id: idBytes(accountId), id: idBytes(id) });
  if (row === undefined) return 'no-delivery';
  if (row.status === pending || row.status === collecting) return 'not-ended';
  const stored = [
    ...(await findRows(tx, 'delivery_contents', { account_id: row.account_id, delivery_id: row.id })),
    ...(await findRows(tx, 'delivery_requests', { account_id: row.account_id, delivery_id: row.id })),
  ];
  if (stored.length === 0) return 'not-rendered';
  const isToSubscriber = row.alert_channel_id === subscribersChannelId;
  if (!isToSubscriber && !(await isChannel(tx, row.account_id, row.alert_channel_id))) return 'no-channel';
  await insertReplays(tx, row.account_id, [replayOf(row, idBytes(replayId), now)]);
  return 'done';
}

/**
 * A replay is rendered anew and marked as one; a message without stored input is sent unchanged. Returns the number of
 * replays: a delivery of which nothing is stored has none.
 */
async function insertReplays(tx: Db, account: IdBytes, wanted: readonly DeliveriesTable[]): Promise<number> {
  const replays: DeliveriesTable[] = [];
  const originals = wanted.flatMap(({ replay_of }) => replay_of ?? []);
  const stored = { account_id: account, delivery_id: originals };
  const contentRows = await findRows(tx, 'delivery_contents', stored);
  const requestRows = await findRows(tx, 'delivery_requests', stored);
  const contentOf = new Map(contentRows.map(({ delivery_id, content }) => [idText(delivery_id), content]));
  const requestOf = new Map(requestRows.map(({ delivery_id, request }) => [idText(delivery_id), request]));
  const contents: DeliveryContentsTable[] = [];
  const requests: DeliveryRequestsTable[] = [];
  for (const row of wanted) {
    const { id, replay_of } = row;
    const original = replay_of === null ? '' : idText(replay_of);
    const [content, request] = [contentOf.get(original), requestOf.get(original)];
    const key = { account_id: account, delivery_id: id };
    if (content !== undefined) contents.push({ ...key, content: json(replayContent(content, idText(id), original)) });
    else if (request !== undefined) requests.push({ ...key, request });
    else continue;
    replays.push(row);
  }
  await insertRows(tx, 'deliveries', replays);
  await insertRows(tx, 'delivery_contents', contents);
  await insertRows(tx, 'delivery_requests', requests);
  await countDeliveries(
    tx,
    replays.map(({ id }) => ({ accountId: idText(account), id: idText(id) })),
  );
  return replays.length;
}

function replayContent(content: string, id: string, original: string): DeliveryContent {
  const { variables, ...rest } = parsed<DeliveryContent>(content);
  return { ...rest, variables: { ...variables, DELIVERY_ID: id, IS_REPLAY: true, REPLAY_OF: original } };
}

function replayOf(row: DeliveriesTable, id: IdBytes, now: number): DeliveriesTable {
  return {
    ...row,
    id,
    status: pending,
    ...unattempted,
    created_at: now,
    next_attempt_at: now,
    replay_of: row.id,
    error: null,
    digest_id: null,
    routed_from: null,
    quota_waits_since: null,
    latest_of: null,
  };
}

/** Maximum number of deliveries replayed per transaction, because it blocks the writer. */
const replaysAtOnce = 100;

/**
 * Replays in creation order. Deliveries that already have a replay are skipped, so that a repeated request sends
 * nothing twice; test messages are never replayed.
 */
export async function replayLost(
  database: Pick<Database, 'reader' | 'transaction' | 'clock'>,
  accountId: string,
  alertChannelId: number,
  since: number,
): Promise<number | null> {
  const account = idBytes(accountId);
  if (!(await isChannel(database.reader, account, alertChannelId))) return null;
  const made = await selectRows(database.reader, 'deliveries', {
    account_id: account,
    alert_channel_id: alertChannelId,
  })
    .select(['id', 'status', 'replay_of', 'is_test'])
    .where('id', '>=', firstIdAt(since))
    .orderBy('id')
    .execute();
  const replayed = new Set(made.flatMap((row) => (row.replay_of === null ? [] : idText(row.replay_of))));
  const wanted = made.filter((row) => lost.has(row.status) && row.is_test === 0 && !replayed.has(idText(row.id)));
  let count = 0;
  for (let start = 0; start < wanted.length; start += replaysAtOnce) {
    // Returns the committed number: PostgreSQL may repeat the transaction.
    const replayed = await database.transaction(async (tx) => {
      const some = wanted.slice(start, start + replaysAtOnce);
      const rows = await findRows(tx, 'deliveries', { account_id: account, id: some.map(({ id }) => id) }, '*', ['id']);
      // Checked again here, within the write transaction: a concurrent call may have replayed them since they were
      // selected.
      const elsewhere = await selectRows(tx, 'deliveries', {
        account_id: account,
        alert_channel_id: alertChannelId,
        replay_of: some.map(({ id }) => id),
      })
        .select('replay_of')
        .where('id', '>=', firstIdAt(since))
        .execute();
      const taken = new Set(elsewhere.flatMap((row) => (row.replay_of === null ? [] : idText(row.replay_of))));
      const now = database.clock.now();
      // IDs are created here, so that they sort after those of concurrent calls in this process.
      const replays = rows.flatMap((row) => (taken.has(idText(row.id)) ? [] : [replayOf(row, idBytes(newId()), now)]));
      return insertReplays(tx, account, replays);
    });
    count += replayed;
  }
  return count;
}
