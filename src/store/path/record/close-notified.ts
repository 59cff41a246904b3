// Closes open alerts of a check that is deleted and notifies their channels, in the same transaction
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
import {
  type Deletion,
  type ListenerRow,
  type RemindersOf,
  notifyDeletion,
  type NotifyRules,
} from './notify-channels.ts';
import type { AlertedIncident } from './record-incident.ts';

/** Dependencies of closing. */
export type CloseRules = Omit<NotifyRules, 'statusOf'>;

/** Rows per statement: the number of values is limited. */
const rowsAtOnce = 500;

/**
 * Notifies the channels that a check with open alerts is being deleted. Its state, subscriptions and notification
 * records must still exist.
 */
export async function closeNotified(tx: Kysely<Tables>, row: ChecksTable, rules: CloseRules): Promise<void> {
  const state = await ofCheck(tx, row).executeTakeFirst();
  const incident = state === undefined ? null : await endIncident(tx, state, rules.now);
  if (state === undefined || state.last_result_id === null) return;
  const listeners = await listenersOf(tx, row);
  const { alerted } = stateOf(state);
  if (listeners.length === 0 && alerted === null) return;
  const alerts: AlertsTable[] = [];
  const deliveries: Delivery[] = [];
  const cancelled: RemindersOf[] = [];
  notifyDeletion(
    {
      insertAlert: (alert) => void alerts.push(alert),
      insertDelivery: (delivery) => void deliveries.push(delivery),
      cancelReminders: (reminders) => void cancelled.push(reminders),
    },
    {
      context: await contextOfRow(tx, row, rules.seal),
      alerted,
      incident,
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
      AND alert_channel_id IN (${alert_channel_id}, (SELECT routed_to FROM notified WHERE account_id = ${account_id}
        AND check_id = ${check_id} AND alert_channel_id = ${alert_channel_id}))
      AND ${alert_channel_id} IN (alert_channel_id, routed_from) AND check_id = ${check_id}
      AND ${sql.raw(isPendingReminder)}`.execute(tx);
  }
}

async function endIncident(
  tx: Kysely<Tables>,
  { account_id, incident_id, incident_started_at }: CheckStatesTable,
  now: number,
): Promise<AlertedIncident | null> {
  if (incident_id === null) return null;
  await tx
    .updateTable('incidents')
    .set({ ended_at: now, ended_by: 'deletion' })
    .where('account_id', '=', account_id)
    .where('id', '=', incident_id)
    .execute();
  return { id: idText(incident_id), startedAt: incident_started_at ?? now, firstAlertId: null };
}

function ofCheck(tx: Kysely<Tables>, { account_id, id }: ChecksTable) {
  return tx.selectFrom('check_states').selectAll().where('account_id', '=', account_id).where('check_id', '=', id);
}

/** Channels with an open alert, ordered by ID. */
async function listenersOf(tx: Kysely<Tables>, { account_id, id, group_id }: ChecksTable): Promise<ListenerRow[]> {
  const notified = await tx
    .selectFrom('notified')
    .innerJoin('alert_channels', (join) =>
      join
        .onRef('alert_channels.account_id', '=', 'notified.account_id')
        .onRef('alert_channels.id', '=', 'notified.alert_channel_id'),
    )
    .selectAll('alert_channels')
    .select(['notified.open', 'notified.notified_at', 'notified.reminders', 'notified.certificates'])
    .where('notified.account_id', '=', account_id)
    .where('notified.check_id', '=', id)
    .where('notified.open', 'is not', null)
    .orderBy('alert_channels.id')
    .execute();
  if (notified.length === 0 || group_id === null)
    return notified.map((row) => ({ ...row, is_subscribed: 0, is_via_group: 0 }));
  const viaGroup = await tx
    .selectFrom('subscriptions')
    .select('alert_channel_id')
    .where('account_id', '=', account_id)
    .where('group_id', '=', group_id)
    .where('activated', '=', 1)
    .execute();
  const ofGroup = new Set(viaGroup.map(({ alert_channel_id }) => alert_channel_id));
  return notified.map((row) => ({ ...row, is_subscribed: 0, is_via_group: flag(ofGroup.has(row.id)) }));
}

/** Input for its templates; of its account, only what they use. */
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

/** The last result of a check, which the closing notification describes. */
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
    // PostgreSQL's texts cannot contain it.
    error: row.error?.replaceAll('\0', '\ufffd') ?? null,
  }));
  await tx.insertInto('deliveries').values(rows).execute();
  const requests = requestRows(deliveries);
  if (requests.length > 0) await tx.insertInto('delivery_requests').values(requests).execute();
  const contents = contentRows(deliveries);
  if (contents.length > 0) await tx.insertInto('delivery_contents').values(contents).execute();
}
