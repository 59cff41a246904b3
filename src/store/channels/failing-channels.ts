// Failing channels, for notices and for reports through other channels (docs/decisions/0026).
import { findRow, findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import { type Delivery, type DeliveryContent, newDelivery } from '#domain/deliveries/delivery.ts';
import { channelName } from '#domain/alerts/alert-channel.ts';
import { type ChannelReport, reportVariables } from '#domain/deliveries/failing-channel.ts';
import type { ActiveHours } from '#domain/alerts/active-hours.ts';
import { reportRecipients } from '#domain/alerts/report-recipients.ts';
import type { Digest } from '#domain/alerts/digest.ts';
import type { JsonObject } from '#domain/json.ts';
import { newId } from '#lib/id.ts';
import { channelOf } from './alert-channel-row.ts';
import { deliveriesOf, type Ended, newsCodes, purposeColumns, standingAfter } from './channel-standing.ts';
import { type IdBytes, idBytes, idText, idTextOrNull, json, parsed, parsedOrNull } from '../base/codec.ts';
import { countDeliveries } from '../base/counts.ts';
import type { Database } from '../base/database.ts';
import { contentRows, newDeliveryRow, requestRows, unattempted } from './delivery-rows.ts';
import type { AlertChannelsTable, Db } from '../base/tables/schema.ts';

/** Records that a delivery ended without another attempt. The deliveries of a channel end one after the other. */
export async function noteLost(tx: Db, { accountId, alertChannelId, ...ended }: Ended, now: number): Promise<void> {
  const account = idBytes(accountId);
  const channel = tx.updateTable('alert_channels').where('account_id', '=', account).where('id', '=', alertChannelId);
  // Locks the row, on each engine.
  const row = await channel
    .set((columns) => ({ exhausted_in_a_row: columns.ref('exhausted_in_a_row') }))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return;
  const key = { account_id: account, id: deliveriesOf(row, [ended]) };
  const read = await findRows(tx, 'deliveries', key, purposeColumns);
  await channel.set(standingAfter(row, [ended], read, now)).execute();
}

/** Reports read at a time. */
const maxRead = 1000;

export function createFailingChannels(database: Database) {
  const { reader, waitingTransaction } = database;
  return {
    /** Failing for the longest time first; `reason` = why the last delivery was lost, null = unknown. */
    async list(accountId: string) {
      const rows = await selectRows(reader, 'alert_channels', { account_id: idBytes(accountId) })
        .select(['id', 'type', 'config', 'failing_since', 'exhausted_in_a_row', 'failing_reason'])
        .where('failing_since', 'is not', null)
        .orderBy('failing_since')
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        alertChannelId: row.id,
        name: nameOf(row),
        failingSince: row.failing_since ?? 0,
        exhaustedInARow: row.exhausted_in_a_row,
        reason: row.failing_reason,
      }));
    },
    /** Due reports: for each account the first `most` with the channels to notify, the others without. */
    async unreported(max: number): Promise<ChannelReport[]> {
      const rows = await reader
        .selectFrom('alert_channels')
        .selectAll()
        .where('failing_news', 'is not', null)
        .orderBy('account_id')
        .orderBy('id')
        .limit(maxRead)
        .execute();
      const counts = new Map<string, number>();
      const reports: ChannelReport[] = [];
      for (const row of rows) {
        const count = (counts.get(idText(row.account_id)) ?? 0) + 1;
        counts.set(idText(row.account_id), count);
        reports.push(await reportOf(database, row, count <= max));
      }
      return reports;
    },
    /** Adds the deliveries and closes the report; false = another process was first, or the account is being moved. */
    report: (report: ChannelReport, deliveries: readonly Delivery[]) =>
      waitingTransaction((tx) => closeReport(tx, report, deliveries)),
  };
}

async function closeReport(tx: Db, report: ChannelReport, deliveries: readonly Delivery[]): Promise<boolean> {
  const notified = report.kind === 'failing' && deliveries.length > 0;
  const key = {
    account_id: idBytes(report.accountId),
    id: report.alertChannelId,
    failing_news: newsCodes[report.kind],
  };
  const closed = await updateRows(tx, 'alert_channels', key, {
    failing_news: null,
    failing_notified: notified ? json(deliveries.map((each) => each.alertChannelId)) : null,
  });
  if (closed === 0) return false;
  await insertDeliveries(tx, deliveries);
  return true;
}

/** Adds deliveries, with their requests or what they are rendered from. */
export async function insertDeliveries(tx: Db, deliveries: readonly Delivery[]): Promise<void> {
  const rows = deliveries.map((delivery) => ({ ...newDeliveryRow(delivery), ...unattempted }));
  await insertRows(tx, 'deliveries', rows);
  await insertRows(tx, 'delivery_contents', contentRows(deliveries));
  await insertRows(tx, 'delivery_requests', requestRows(deliveries));
  await countDeliveries(tx, deliveries);
}

/**
 * When a failing channel is deleted, sends the recovery to the channels that were notified about it. @param now epoch
 * ms
 */
export async function closeNotified(tx: Db, row: AlertChannelsTable, now: number): Promise<void> {
  const key = { account_id: row.account_id, id: parsedOrNull<number[]>(row.failing_notified) ?? [] };
  const notified = await findRows(tx, 'alert_channels', key, '*', ['id']);
  if (notified.length === 0) return;
  const lost = await lostAlert(tx, row);
  const facts = { ...factsOf(row, lost), kind: 'deleted', variables: [] } as const;
  const deliveries = notified.map(({ id: alertChannelId }): Delivery => {
    const id = newId();
    const own = { accountId: facts.accountId, id, alertChannelId, alertType: 'ALERT_RECOVERY' } as const;
    return { ...newDelivery(own, now), content: { variables: reportVariables(facts, id, undefined), groupId: null } };
  });
  await insertDeliveries(tx, deliveries);
}

/** The name of a stored channel, as people read it. */
export function nameOf({ id, type, config }: Pick<AlertChannelsTable, 'id' | 'type' | 'config'>): string {
  return channelName({ id, type, config: parsed<JsonObject>(config) });
}

async function reportOf(
  { reader, seal, clock }: Database,
  row: AlertChannelsTable,
  isNotified: boolean,
): Promise<ChannelReport> {
  const isFailing = row.failing_news === newsCodes.failing;
  const lost = await lostAlert(reader, row);
  const choices = isFailing
    ? await countOthers({ reader, clock }, row, lost)
    : [parsedOrNull<number[]>(row.failing_notified) ?? []];
  const owned = { account_id: row.account_id, id: isNotified ? choices.flat() : [] };
  const found = await findRows(reader, 'alert_channels', owned, '*', ['id']);
  const channels = new Map(found.map((each) => [each.id, channelOf(each, seal)]));
  const through = choices
    .map((ids) => ids.flatMap((each) => channels.get(each) ?? []))
    .filter((choice) => choice.length > 0);
  const variables =
    through.length === 0 ? [] : await findRows(reader, 'variables', { account_id: row.account_id, secret: 0 });
  return {
    ...factsOf(row, lost),
    kind: isFailing ? 'failing' : 'receiving',
    checkResultId: idTextOrNull(lost?.check_result_id ?? null),
    deliveryId: idTextOrNull(row.failing_delivery_id),
    through,
    variables: variables.map(({ key, value }) => ({ key, value, locked: false, secret: false })),
  };
}

function factsOf(row: AlertChannelsTable, lost: LostAlert) {
  const check = lost?.check ?? null;
  return {
    accountId: idText(row.account_id),
    alertChannelId: row.id,
    name: nameOf(row),
    since: row.failing_since ?? lost?.created_at ?? 0,
    reason: row.failing_reason,
    digest: lost?.digest ?? null,
    check: check && {
      id: idText(check.id),
      name: check.name,
      tags: parsed<string[]>(check.tags),
      groupName: lost?.groupName ?? null,
    },
  };
}

/** The delivery that made a channel failing, with its check and that check's group. */
async function lostAlert(reader: Db, { account_id, failing_delivery_id }: AlertChannelsTable) {
  if (failing_delivery_id === null) return null;
  const key = { account_id, id: failing_delivery_id };
  const delivery = await findRow(reader, 'deliveries', key, ['check_id', 'check_result_id', 'created_at', 'is_digest']);
  if (delivery === undefined) return null;
  const { check_id } = delivery;
  const check =
    check_id === null
      ? undefined
      : await findRow(reader, 'checks', { account_id, id: check_id }, ['id', 'name', 'tags', 'group_id']);
  const groupId = check?.group_id ?? null;
  const group =
    groupId === null ? undefined : await findRow(reader, 'check_groups', { account_id, id: groupId }, ['name']);
  const digest = delivery.is_digest === 1 ? await findDigest(reader, account_id, failing_delivery_id) : null;
  return { ...delivery, check: check ?? null, groupName: group?.name ?? null, digest };
}

async function findDigest(reader: Db, account: IdBytes, id: IdBytes): Promise<Digest | null> {
  const stored = await findRow(reader, 'delivery_contents', { account_id: account, delivery_id: id }, ['content']);
  return stored === undefined ? null : (parsed<DeliveryContent>(stored.content).digest ?? null);
}

type LostAlert = Awaited<ReturnType<typeof lostAlert>>;

/** The channels that can report it, best choice first. */
async function countOthers(
  { reader, clock }: Pick<Database, 'reader' | 'clock'>,
  { account_id, id }: AlertChannelsTable,
  lost: LostAlert,
): Promise<readonly (readonly number[])[]> {
  const rows = await selectRows(reader, 'alert_channels', { account_id, send_failure: 1 })
    .select(['id', 'failing_since', 'active_hours'])
    .where('id', '<>', id)
    .orderBy('id')
    .execute();
  const subscribed = await subscribedTo(reader, account_id, lost?.check ?? null);
  const candidates = rows.map((row) => ({
    id: row.id,
    isSubscribed: subscribed.has(row.id),
    isFailing: row.failing_since !== null,
    activeHours: parsedOrNull<ActiveHours>(row.active_hours),
  }));
  return reportRecipients(candidates, id, clock.now());
}

async function subscribedTo(
  reader: Db,
  accountId: IdBytes,
  check: { readonly id: IdBytes; readonly group_id: number | null } | null,
): Promise<ReadonlySet<number>> {
  if (check === null) return new Set();
  const rows = await selectRows(reader, 'subscriptions', { account_id: accountId, activated: 1 })
    .select('alert_channel_id')
    .where((row) => row.or([row('check_id', '=', check.id), row('group_id', '=', check.group_id)]))
    .execute();
  return new Set(rows.map((row) => row.alert_channel_id));
}
