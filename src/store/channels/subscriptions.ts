// Subscriptions of channels to checks and groups. Each function runs in the caller's transaction.
import { recorderOf } from '../base/audit/recorder.ts';
import { recordMapping } from '../base/records.ts';
import { findRow, findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
import type {
  ChannelToSubscribe,
  SubscribedChannel,
  SubscribedTo,
  Subscription,
} from '#domain/alerts/alert-channel.ts';
import { flag, idBytes, idText } from '../base/codec.ts';
import { nextNumber } from '../base/database.ts';
import type { Db, SubscriptionsTable } from '../base/tables/schema.ts';

const { rowOf, recordOf } = recordMapping<Subscription, 'subscriptions'>({
  accountId: 'id',
  id: 'plain',
  alertChannelId: 'plain',
  checkId: 'id',
  groupId: 'plain',
  activated: 'flag',
  escalationMinutes: 'plain',
});

/** The subscription of a row. */
export const subscriptionOf = recordOf;

/** One check or one group. */
export type Target = Pick<Subscription, 'checkId' | 'groupId'>;

/** How the channels of a check or group change when it is saved. */
export interface ChannelChange {
  /** The complete new set; null keeps the existing one. */
  readonly subscriptions: readonly ChannelToSubscribe[] | null;
  /** Add every channel with `autoSubscribe` that the set does not contain. */
  readonly isAutoAssigned: boolean;
}

/** Subscriptions of a check or group, oldest first. */
export async function findChannels(db: Db, accountId: string, target: Target): Promise<SubscribedChannel[]> {
  const rows = await ofTarget(db, accountId, target).selectAll().orderBy('id').execute();
  return rows.map(subscribedOf);
}

function subscribedOf(row: SubscriptionsTable): SubscribedChannel {
  const { alertChannelId, activated, escalationMinutes } = recordOf(row);
  return { alertChannelId, activated, escalationMinutes };
}

/** The same for many checks at once, by check ID. */
export async function channelsOfChecks(
  db: Db,
  accountId: string,
  checkIds: readonly string[],
): Promise<Map<string, SubscribedChannel[]>> {
  const byCheck = new Map<string, SubscribedChannel[]>(checkIds.map((id) => [id, []]));
  const key = { account_id: idBytes(accountId), check_id: checkIds.map(idBytes) };
  const rows = await findRows(db, 'subscriptions', key, '*', ['id']);
  for (const row of rows) {
    if (row.check_id === null) continue;
    byCheck.get(idText(row.check_id))?.push(subscribedOf(row));
  }
  return byCheck;
}

/** Index in the set of the first channel that this account does not have; null = all exist. */
export async function missingChannel(
  tx: Db,
  accountId: string,
  subscriptions: readonly Pick<SubscribedChannel, 'alertChannelId'>[],
): Promise<number | null> {
  for (const [position, { alertChannelId }] of subscriptions.entries()) {
    const row = await findRow(tx, 'alert_channels', { account_id: idBytes(accountId), id: alertChannelId }, ['id']);
    if (row === undefined) return position;
  }
  return null;
}

/** Applies a change to the channels of a check or group. Remaining subscriptions keep their IDs. */
export async function changeChannels(
  tx: Db,
  accountId: string,
  target: Target,
  { subscriptions, isAutoAssigned }: ChannelChange,
): Promise<void> {
  if (subscriptions !== null) {
    const kept = subscriptions.map(({ alertChannelId }) => alertChannelId);
    await dropTarget(tx, accountId, target, kept);
    for (const { alertChannelId, ...how } of subscriptions) {
      await subscribe(tx, accountId, alertChannelId, { ...target, ...how });
    }
  }
  if (!isAutoAssigned) return;
  const present = new Set((await findChannels(tx, accountId, target)).map(({ alertChannelId }) => alertChannelId));
  const key = { account_id: idBytes(accountId), auto_subscribe: 1 };
  const channels = await findRows(tx, 'alert_channels', key, ['id'], ['id']);
  for (const { id } of channels) {
    if (!present.has(id)) await subscribe(tx, accountId, id, { ...target, activated: true });
  }
}

/** Adds a subscription, or changes the existing one. */
export async function subscribe(
  tx: Db,
  accountId: string,
  alertChannelId: number,
  { checkId, groupId, activated, escalationMinutes = 0 }: SubscribedTo,
): Promise<void> {
  const changed = await ofTarget(tx, accountId, { checkId, groupId })
    .select(['id', 'escalation_minutes'])
    .where('alert_channel_id', '=', alertChannelId)
    .executeTakeFirst();
  if (changed !== undefined) {
    const key = { account_id: idBytes(accountId), id: changed.id };
    await updateRows(tx, 'subscriptions', key, {
      activated: flag(activated),
      escalation_minutes: escalationMinutes,
    });
    const minutes = escalationMinutes - changed.escalation_minutes;
    if (minutes !== 0) await moveWaits(tx, { accountId, alertChannelId, checkId, groupId }, minutes * 60_000);
    return;
  }
  const id = await nextNumber(tx, accountId, 'subscription');
  const own = { accountId, id, alertChannelId, checkId, groupId, activated, escalationMinutes };
  await insertRows(tx, 'subscriptions', rowOf(own));
}

/** Waits that have begun end by so much later, or earlier. */
async function moveWaits(
  tx: Db,
  { accountId, alertChannelId, checkId, groupId }: Pick<Subscription, 'accountId' | 'alertChannelId'> & Target,
  byMs: number,
): Promise<void> {
  const account = idBytes(accountId);
  const ofGroup = selectRows(tx, 'checks', { account_id: account }).select('id').where('group_id', '=', groupId);
  await tx
    .updateTable('notified')
    .set((row) => ({ escalates_at: row('escalates_at', '+', byMs) }))
    .where('account_id', '=', account)
    .where('alert_channel_id', '=', alertChannelId)
    .where('check_id', 'in', checkId === null ? ofGroup : [idBytes(checkId)])
    .where('escalates_at', 'is not', null)
    .execute();
}

/** Deletes the subscriptions of a check or group, except those of the channels to keep. */
export async function dropTarget(
  tx: Db,
  accountId: string,
  { checkId, groupId }: Target,
  keptChannels: readonly number[] = [],
): Promise<void> {
  let dropped = tx.deleteFrom('subscriptions').where('account_id', '=', idBytes(accountId));
  dropped =
    checkId === null ? dropped.where('group_id', '=', groupId) : dropped.where('check_id', '=', idBytes(checkId));
  if (keptChannels.length > 0) dropped = dropped.where('alert_channel_id', 'not in', keptChannels);
  const rows = await dropped.returningAll().execute();
  recorderOf(tx)?.deleted('subscriptions', rows);
}

function ofTarget(db: Db, accountId: string, { checkId, groupId }: Target) {
  const owned = selectRows(db, 'subscriptions', { account_id: idBytes(accountId) });
  return checkId === null ? owned.where('group_id', '=', groupId) : owned.where('check_id', '=', idBytes(checkId));
}
