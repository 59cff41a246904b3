// What a check leaves open when it is deleted is closed: whoever was told of it is told of its end, in the same transaction
// (docs/decisions/0103).
import { type Kysely, sql } from 'kysely';
import type { Delivery } from '#domain/alerts/delivery.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { bareFinding } from '#domain/results/result.ts';
import { cancelReminder, isPendingReminder } from '../deliveries/cancel-reminders.ts';
import { groupOf } from '../../checks/check-rows.ts';
import { stateOf } from './check-state-rows.ts';
import { flag, type IdBytes, idText } from '../../base/codec.ts';
import { accountContext, contextOf } from '../../checks/context-rows.ts';
import { contentRows, newDeliveryRow, requestRows } from '../deliveries/delivery-rows.ts';
import type { AlertsTable, CheckStatesTable, ChecksTable, Tables } from '../../base/tables/schema.ts';
import type { Seal } from '../../base/seal.ts';
import { type Deletion, type ListenerRow, type RemindersOf, tellDeletion, type TellRules } from './tell-channels.ts';

/** How what is open is closed. */
export type CloseRules = Omit<TellRules, 'statusOf'>;

/** Rows written by one statement: a statement has room for so many values. */
const rowsAtOnce = 500;

/**
 * Tells the channels of the end of what they were told of a check that goes now. Its state, its subscriptions and what was told
 * must still be there.
 */
export async function closeTold(tx: Kysely<Tables>, row: ChecksTable, rules: CloseRules): Promise<void> {
  const state = await ofCheck(tx, row).executeTakeFirst();
  if (state === undefined || state.last_result_id === null) return;
  const listeners = await listenersOf(tx, row);
  const { alerted } = stateOf(state);
  if (listeners.length === 0 && alerted === null) return;
  const alerts: AlertsTable[] = [];
  const deliveries: Delivery[] = [];
  const cancelled: RemindersOf[] = [];
  tellDeletion(
    {
      insertAlert: (alert) => void alerts.push(alert),
      insertDelivery: (delivery) => void deliveries.push(delivery),
      cancelReminders: (reminders) => void cancelled.push(reminders),
    },
    {
      context: await contextOfRow(tx, row, rules.seal),
      alerted,
      ...(await lastOf(tx, state, state.last_result_id, rules.now)),
    },
    listeners,
    rules,
  );
  if (alerts.length > 0) await tx.insertInto('alerts').values(alerts).execute();
  for (let from = 0; from < deliveries.length; from += rowsAtOnce) {
    await insertDeliveries(tx, deliveries.slice(from, from + rowsAtOnce));
  }
  for (const { account_id, alert_channel_id, check_id } of cancelled) {
    await sql`UPDATE deliveries SET ${sql.raw(cancelReminder)} WHERE account_id = ${account_id}
      AND alert_channel_id = ${alert_channel_id} AND check_id = ${check_id} AND ${sql.raw(isPendingReminder)}`.execute(
      tx,
    );
  }
}

function ofCheck(tx: Kysely<Tables>, { account_id, id }: ChecksTable) {
  return tx.selectFrom('check_states').selectAll().where('account_id', '=', account_id).where('check_id', '=', id);
}

/** Channels that were told of something open, in the order of their ids. */
async function listenersOf(tx: Kysely<Tables>, { account_id, id, group_id }: ChecksTable): Promise<ListenerRow[]> {
  const told = await tx
    .selectFrom('told')
    .innerJoin('alert_channels', (join) =>
      join
        .onRef('alert_channels.account_id', '=', 'told.account_id')
        .onRef('alert_channels.id', '=', 'told.alert_channel_id'),
    )
    .selectAll('alert_channels')
    .select(['told.open', 'told.told_at', 'told.reminders', 'told.certificates'])
    .where('told.account_id', '=', account_id)
    .where('told.check_id', '=', id)
    .where('told.open', 'is not', null)
    .orderBy('alert_channels.id')
    .execute();
  if (told.length === 0 || group_id === null) return told.map((row) => ({ ...row, is_subscribed: 0, is_via_group: 0 }));
  const viaGroup = await tx
    .selectFrom('subscriptions')
    .select('alert_channel_id')
    .where('account_id', '=', account_id)
    .where('group_id', '=', group_id)
    .where('activated', '=', 1)
    .execute();
  const ofGroup = new Set(viaGroup.map(({ alert_channel_id }) => alert_channel_id));
  return told.map((row) => ({ ...row, is_subscribed: 0, is_via_group: flag(ofGroup.has(row.id)) }));
}

/** What its templates are rendered from; of its account no more than they use. */
async function contextOfRow(tx: Kysely<Tables>, row: ChecksTable, seal: Seal): Promise<CheckContext> {
  const { account_id, group_id } = row;
  const variables = await tx.selectFrom('variables').selectAll().where('account_id', '=', account_id).execute();
  const group =
    group_id === null
      ? undefined
      : await tx
          .selectFrom('check_groups')
          .selectAll()
          .where('account_id', '=', account_id)
          .where('id', '=', group_id)
          .executeTakeFirst();
  const account = accountContext({ account: undefined, variables, windows: [], certificates: [] }, 0, seal);
  return contextOf(account, row, group === undefined ? null : groupOf(group, seal), seal);
}

/** The last result of a check, which is as good as gone, as far as its end tells of it. */
async function lastOf(
  tx: Kysely<Tables>,
  { account_id, check_id, last_location, position_started_at }: CheckStatesTable,
  resultId: IdBytes,
  now: number,
): Promise<Pick<Deletion, 'resultId' | 'location' | 'finding'>> {
  const result = await tx
    .selectFrom('results')
    .select('started_at')
    .where('account_id', '=', account_id)
    .where('check_id', '=', check_id)
    .where('id', '=', resultId)
    .executeTakeFirst();
  const verdict = { verdict: 'unknown', reason: null, message: 'the check was deleted' } as const;
  return {
    resultId: idText(resultId),
    location: last_location ?? '',
    finding: bareFinding(result?.started_at ?? position_started_at ?? now, verdict),
  };
}

async function insertDeliveries(tx: Kysely<Tables>, deliveries: readonly Delivery[]): Promise<void> {
  const rows = deliveries.map(newDeliveryRow).map((row) => ({
    ...row,
    attempts: 0,
    leased_by: null,
    attempt_started_at: null,
    // PostgreSQL has no room for it in a text.
    error: row.error?.replaceAll('\0', '\ufffd') ?? null,
  }));
  await tx.insertInto('deliveries').values(rows).execute();
  const requests = requestRows(deliveries);
  if (requests.length > 0) await tx.insertInto('delivery_requests').values(requests).execute();
  const contents = contentRows(deliveries);
  if (contents.length > 0) await tx.insertInto('delivery_contents').values(contents).execute();
}
