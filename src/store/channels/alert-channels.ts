// Alert channels of accounts and their subscriptions.
import { recorderOf } from '../base/audit/recorder.ts';
import { deleteRows, findRow, findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import { sql } from 'kysely';
import type { AlertChannel, ChannelHealth, SubscribedTo, Subscription } from '#domain/alerts/alert-channel.ts';
import { nextReportAt } from '#domain/results/account-report.ts';
import { dropOtherChannel, endHours, isChannel } from './active-hours.ts';
import { channelColumns, channelOf } from './alert-channel-row.ts';
import { channelHealth } from './channel-health.ts';
import type { Saved } from '../checks/checks.ts';
import type { JsonObject } from '#domain/json.ts';
import { idBytes, json, parsed } from '../base/codec.ts';
import { endWait } from './requested-delay.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import { type Database, nextNumber, ownedBy, touchAccount, type Page, type Slice } from '../base/database.ts';
import { closeNotified } from './failing-channels.ts';
import { readCutPage } from '../base/page-bytes.ts';
import { requireWithinLimit } from '../base/account-limits.ts';
import { nextRevision } from '#domain/patch.ts';
import type { Db } from '../base/tables/schema.ts';
import { cancelledColumns } from './delivery-rows.ts';
import type { Seal } from '../base/seal.ts';
import { subscribe, subscriptionOf } from './subscriptions.ts';

/** A channel with its subscriptions, oldest first. */
export interface StoredChannel {
  readonly channel: AlertChannel;
  readonly subscriptions: readonly Subscription[];
  readonly health: ChannelHealth;
}

/** Data of a new channel. */
export interface ChannelWrite {
  /** The store sets its ID, timestamps and failure state. */
  readonly channel: AlertChannel;
  /** The complete new set; null keeps the existing one. */
  readonly subscriptions: readonly SubscribedTo[] | null;
}

/** Stored bytes of a channel. */
export const channelBytes = sql<number>`octet_length(config) + coalesce(octet_length(secrets), 0)`;

/** Alert channels. Secrets are plain in the records and encrypted in the table. */
export function createAlertChannels(database: Database) {
  const { reader, transaction, seal, clock } = database;
  return {
    /** Ordered by ID. */
    async list(accountId: string, slice: Slice): Promise<Page<StoredChannel>> {
      const owned = selectRows(reader, 'alert_channels', { account_id: idBytes(accountId) }).selectAll();
      const { rows: found, total } = await readCutPage(owned.orderBy('id'), channelBytes, slice);
      const ids = found.map(({ id }) => id);
      const health = await channelHealth(reader, accountId, ids);
      const rows: StoredChannel[] = [];
      for (const row of found) rows.push(await withSubscriptions(reader, channelOf(row, seal), health));
      return { rows, total };
    },
    find: (accountId: string, id: number) => findChannel(reader, accountId, id, seal),
    /** Those of the IDs that exist, in the order given, without their secrets. */
    async kindsOf(
      accountId: string,
      ids: readonly number[],
    ): Promise<readonly Pick<AlertChannel, 'id' | 'type' | 'config'>[]> {
      const key = { account_id: idBytes(accountId), id: [...ids] };
      const rows = await findRows(reader, 'alert_channels', key, ['id', 'type', 'config']);
      const found = new Map(rows.map(({ id, type, config }) => [id, { id, type, config: parsed<JsonObject>(config) }]));
      return ids.flatMap((id) => found.get(id) ?? []);
    },
    add: (write: ChannelWrite): Promise<Saved<StoredChannel>> =>
      transaction(async (tx) => {
        const { accountId } = write.channel;
        await requireWithinLimit(database, tx, accountId, 'alertChannels');
        return addChannel(tx, database, write);
      }),
    /** Reads, edits and writes in one transaction; `edit` may throw. null = unknown channel. */
    change: (accountId: string, id: number, edit: (present: StoredChannel) => ChannelWrite) =>
      transaction((tx) => changeChannel(tx, database, accountId, id, edit)),
    /** Adds subscriptions or changes the existing ones. null = unknown channel. A dangling path begins with the index. */
    subscribe: (
      accountId: string,
      id: number,
      ...subscriptions: readonly SubscribedTo[]
    ): Promise<Saved<StoredChannel> | null> =>
      transaction(async (tx) => {
        if ((await findChannel(tx, accountId, id, seal)) === null) return null;
        const missing = await missingTarget(tx, accountId, subscriptions);
        if (missing !== null) return { dangling: missing };
        for (const subscription of subscriptions) await subscribe(tx, accountId, id, subscription);
        return savedChannel(tx, accountId, id, seal);
      }),
    /** Cancels pending deliveries and keeps the delivery history. false = unknown channel. */
    remove: (accountId: string, id: number) => transaction((tx) => removeChannel(tx, accountId, id, clock.now())),
  };
}

/** Adds a channel; ID 0 = the next number. @param others IDs that the transaction adds later */
export async function addChannel(
  tx: Db,
  { seal, clock }: Database,
  { channel, subscriptions }: ChannelWrite,
  others: ReadonlySet<number> = new Set(),
): Promise<Saved<StoredChannel>> {
  const { accountId } = channel;
  const missing = await missingTarget(tx, accountId, subscriptions ?? []);
  if (missing !== null) return { dangling: `subscriptions${missing}` };
  if (await isDangling(tx, channel, others)) return { dangling: otherChannel };
  const id = channel.id === 0 ? await nextNumber(tx, accountId, 'alert-channel') : channel.id;
  const columns = { ...channelColumns(channel, seal), created_at: clock.now(), updated_at: null };
  const well = { exhausted_in_a_row: 0, failing_since: null, failing_news: null, failing_reason: null };
  const report_at = reportAt(channel, clock.now());
  const kept = { ...well, failing_delivery_id: null, failing_notified: null, requested_until: null, report_at };
  await insertRows(tx, 'alert_channels', { ...ownedBy(accountId), id, ...columns, ...kept });
  for (const subscription of subscriptions ?? []) await subscribe(tx, accountId, id, subscription);
  return savedChannel(tx, accountId, id, seal);
}

/** Reads, edits and writes a channel; null = unknown. @param others IDs that the transaction adds later */
export async function changeChannel(
  tx: Db,
  { seal, clock }: Database,
  accountId: string,
  id: number,
  edit: (present: StoredChannel) => ChannelWrite,
  others: ReadonlySet<number> = new Set(),
): Promise<Saved<StoredChannel> | null> {
  const present = await findChannel(tx, accountId, id, seal);
  if (present === null) return null;
  const { channel, subscriptions } = edit(present);
  const missing = await missingTarget(tx, accountId, subscriptions ?? []);
  if (missing !== null) return { dangling: `subscriptions${missing}` };
  if (await isDangling(tx, channel, others)) return { dangling: otherChannel };
  const key = { account_id: idBytes(accountId), id };
  await updateRows(tx, 'alert_channels', key, {
    ...channelColumns(channel, seal),
    updated_at: nextRevision(present.channel, clock.now()),
    // Another schedule starts with the next period; the same one keeps a report that is due.
    ...(json(channel.report) !== json(present.channel.report) && { report_at: reportAt(channel, clock.now()) }),
  });
  if (channel.config['url'] !== present.channel.config['url']) await endWait(tx, accountId, id, clock.now());
  if (json(channel.activeHours) !== json(present.channel.activeHours)) await endHours(tx, accountId, id, clock.now());
  if (subscriptions !== null) await replaceSubscriptions(tx, present, subscriptions);
  return savedChannel(tx, accountId, id, seal);
}

function reportAt({ report }: AlertChannel, now: number): number | null {
  return report === null ? null : nextReportAt(report, now);
}

const otherChannel = 'activeHours.otherChannelId';

/** Whether its active hours name a channel that does not exist, or itself. */
async function isDangling(
  tx: Db,
  { accountId, id, activeHours }: AlertChannel,
  others: ReadonlySet<number>,
): Promise<boolean> {
  const other = activeHours?.otherChannelId ?? null;
  if (other !== null && other !== id && others.has(other)) return false;
  return other !== null && (other === id || !(await isChannel(tx, idBytes(accountId), other)));
}

/** Path, from the list on, of the first ID that is not of this account; null = all exist. */
async function missingTarget(
  tx: Db,
  accountId: string,
  subscriptions: readonly SubscribedTo[],
): Promise<string | null> {
  for (const [position, { checkId, groupId }] of subscriptions.entries()) {
    const account = idBytes(accountId);
    if (checkId !== null) {
      const check = selectRows(tx, 'checks', { account_id: account }).select('id');
      const row = await check.where('id', '=', idBytes(checkId)).executeTakeFirst();
      if (row === undefined) return `[${position}].checkId`;
    } else if (groupId !== null) {
      const group = selectRows(tx, 'check_groups', { account_id: account }).select('id');
      const row = await group.where('id', '=', groupId).executeTakeFirst();
      if (row === undefined) return `[${position}].groupId`;
    }
  }
  return null;
}

async function replaceSubscriptions(
  tx: Db,
  { channel: { accountId, id }, subscriptions: present }: StoredChannel,
  wanted: readonly SubscribedTo[],
): Promise<void> {
  const targetOf = ({ checkId, groupId }: SubscribedTo) => checkId ?? String(groupId);
  const kept = new Set(wanted.map(targetOf));
  const ended = present.filter((subscription) => !kept.has(targetOf(subscription)));
  for (const subscription of ended) {
    await deleteRows(tx, 'subscriptions', { account_id: idBytes(accountId), id: subscription.id });
  }
  for (const subscription of wanted) await subscribe(tx, accountId, id, subscription);
}

async function savedChannel(tx: Db, accountId: string, id: number, seal: Seal): Promise<Saved<StoredChannel>> {
  await touchAccount(tx, accountId);
  const saved = await findChannel(tx, accountId, id, seal);
  if (saved === null) throw new Error(`alert channel ${id} disappeared within its own transaction`);
  return { saved };
}

/** Cancels its pending deliveries; false = unknown. */
export async function removeChannel(tx: Db, accountId: string, id: number, now: number): Promise<boolean> {
  const account = idBytes(accountId);
  const removed = await tx
    .deleteFrom('alert_channels')
    .where('account_id', '=', account)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  if (removed === undefined) return false;
  recorderOf(tx)?.deleted('alert_channels', [removed]);
  await closeNotified(tx, removed, now);
  await dropOtherChannel(tx, account, id);
  for (const table of ['subscriptions', 'notified'] as const) {
    await deleteRows(tx, table, { account_id: account, alert_channel_id: id });
  }
  const open = [deliveryStatusCodes.encode('pending'), deliveryStatusCodes.encode('collecting')];
  // An attempt in progress is recorded when it ends. It is not repeated, because its channel was deleted.
  const waiting = { account_id: account, alert_channel_id: id, status: open, leased_by: null };
  await updateRows(tx, 'deliveries', waiting, { ...cancelledColumns, error: 'the alert channel was deleted' });
  await touchAccount(tx, accountId);
  return true;
}

/** null = unknown. */
export async function findChannel(db: Db, accountId: string, id: number, seal: Seal): Promise<StoredChannel | null> {
  const row = await findRow(db, 'alert_channels', { account_id: idBytes(accountId), id });
  if (row === undefined) return null;
  return withSubscriptions(db, channelOf(row, seal), await channelHealth(db, accountId, [id]));
}

async function withSubscriptions(
  db: Db,
  channel: AlertChannel,
  healths: ReadonlyMap<number, ChannelHealth>,
): Promise<StoredChannel> {
  const health = healths.get(channel.id) ?? { lastDeliveredAt: null, waitingDeliveries: 0 };
  const key = { account_id: idBytes(channel.accountId), alert_channel_id: channel.id };
  const rows = await findRows(db, 'subscriptions', key, '*', ['id']);
  return { channel, subscriptions: rows.map(subscriptionOf), health };
}
