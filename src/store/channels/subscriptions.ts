// Subscriptions of channels to checks and groups. Each function runs in the caller's transaction.
import { recorderOf } from '../base/audit/recorder.ts';
import { recordMapping } from '../base/records.ts';
import { deleteRows, findRow, findRows, insertRows, selectRows, updateRows } from '../base/rows.ts';
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
export async function changeChannels(tx: Db, accountId: string, target: Target, change: ChannelChange): Promise<void> {
  await changeAllChannels(tx, accountId, [{ ...change, target }]);
}

/** The same for many checks and groups. */
export async function changeAllChannels(
  tx: Db,
  accountId: string,
  changes: readonly (ChannelChange & { readonly target: Target })[],
): Promise<void> {
  const assigned = changes.some(({ isAutoAssigned }) => isAutoAssigned) ? await autoSubscribed(tx, accountId) : [];
  const present = await presentSubscriptions(tx, accountId, changes);
  const ended: number[] = [];
  const added = new Map<string, SubscribedTo & { readonly alertChannelId: number }>();
  const add = (alertChannelId: number, subscription: SubscribedTo): void => {
    added.set(`${targetKey(subscription)} ${alertChannelId}`, { ...subscription, alertChannelId });
  };
  for (const { target, subscriptions, isAutoAssigned } of changes) {
    const own = new Map((present.get(targetKey(target)) ?? []).map((one) => [one.alertChannelId, one]));
    const wanted = new Set(subscriptions?.map(({ alertChannelId }) => alertChannelId) ?? own.keys());
    for (const { alertChannelId, id } of own.values()) if (!wanted.has(alertChannelId)) ended.push(id);
    for (const { alertChannelId, ...how } of subscriptions ?? []) {
      const one = own.get(alertChannelId);
      const { activated, escalationMinutes = 0 } = how;
      if (one === undefined) add(alertChannelId, { ...target, ...how });
      else if (one.activated !== activated || one.escalationMinutes !== escalationMinutes)
        await subscribe(tx, accountId, alertChannelId, { ...target, ...how });
    }
    for (const id of isAutoAssigned ? assigned : []) if (!wanted.has(id)) add(id, { ...target, activated: true });
  }
  await deleteRows(tx, 'subscriptions', { account_id: idBytes(accountId), id: ended });
  await addSubscriptions(tx, accountId, [...added.values()]);
}

function targetKey({ checkId, groupId }: Target): string {
  return checkId ?? String(groupId);
}

/** Channels that subscribe to every new check and group. */
async function autoSubscribed(tx: Db, accountId: string): Promise<number[]> {
  const key = { account_id: idBytes(accountId), auto_subscribe: 1 };
  return (await findRows(tx, 'alert_channels', key, ['id'], ['id'])).map(({ id }) => id);
}

/** Subscriptions of these checks and groups. */
async function presentSubscriptions(
  tx: Db,
  accountId: string,
  changes: readonly { readonly target: Target }[],
): Promise<Map<string, Subscription[]>> {
  const account_id = idBytes(accountId);
  const checkIds = changes.flatMap(({ target }) => (target.checkId === null ? [] : [idBytes(target.checkId)]));
  const groupIds = changes.flatMap(({ target }) => (target.checkId === null ? (target.groupId ?? []) : []));
  const rows = [
    ...(await findRows(tx, 'subscriptions', { account_id, check_id: checkIds })),
    ...(await findRows(tx, 'subscriptions', { account_id, group_id: groupIds })),
  ].map(recordOf);
  return Map.groupBy(rows, targetKey);
}

async function addSubscriptions(
  tx: Db,
  accountId: string,
  added: readonly (SubscribedTo & { readonly alertChannelId: number })[],
): Promise<void> {
  if (added.length === 0) return;
  const first = await nextNumber(tx, accountId, 'subscription', added.length);
  const rows = added.map(({ escalationMinutes = 0, ...subscription }, index) =>
    rowOf({ ...subscription, accountId, id: first + index, escalationMinutes }),
  );
  await insertRows(tx, 'subscriptions', rows);
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
  await addSubscriptions(tx, accountId, [{ alertChannelId, checkId, groupId, activated, escalationMinutes }]);
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
