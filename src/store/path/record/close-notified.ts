// Closes open alerts of a check that is deleted and notifies their channels, in the same transaction
// (docs/decisions/0103).
import { findRow, findRows } from '../../base/rows.ts';
import { type Kysely, sql } from 'kysely';
import { digestThresholdOf } from '#domain/alerts/alert-storm.ts';
import type { Delivery } from '#domain/deliveries/delivery.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { bareFinding } from '#domain/results/result.ts';
import { cancelReminder, isPendingReminder, type RemindersOf } from '../../channels/cancel-reminders.ts';
import { groupOf } from '../../checks/check-rows.ts';
import { stateOf } from './check-state-rows.ts';
import type { FlappingNotice } from '#domain/alerts/alert.ts';
import { flag, type IdBytes, idBytes, idText, parsedOrNull } from '../../base/codec.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import type { Counts } from '../../base/counts.ts';
import { accountContext, contextOf } from '../../checks/context-rows.ts';
import { contentRows, newDeliveryRow, requestRows } from '../../channels/delivery-rows.ts';
import { findAlertSettings, lockStorm, readAlerted } from '../../channels/alert-storms.ts';
import { createStorms, type StormRead, type StormRows, stormRow } from '../../channels/storm-rows.ts';
import type { AlertStormsTable } from '../../base/tables/delivery-tables.ts';
import type { AlertsTable, CheckStatesTable, ChecksTable, Tables } from '../../base/tables/schema.ts';
import type { Seal } from '../../base/seal.ts';
import { type Deletion, notifyDeletion, type NotifyRules } from './notify-channels.ts';
import type { ListenerRow } from './listener-rows.ts';
import type { AlertedIncident } from './record-incident.ts';

/** Dependencies of closing. */
export type CloseRules = Omit<NotifyRules, 'statusOf'>;

/** Rows per statement: the number of values is limited. */
const rowsAtOnce = 500;

/**
 * Notifies the channels that a check with open alerts is being deleted. Its state, subscriptions and notification
 * records must still exist.
 */
export async function closeNotified(
  tx: Kysely<Tables>,
  row: ChecksTable,
  rules: CloseRules & { readonly counts: Counts },
): Promise<void> {
  await cancelCollecting(tx, row);
  const state = await lockState(tx, row);
  const incident = state === undefined ? null : await endIncident(tx, state, rules.now);
  if (state === undefined || state.last_result_id === null) return;
  const listeners = await findListeners(tx, row);
  const { alerted } = stateOf(state);
  if (listeners.length === 0 && alerted === null) return;
  const alerts: AlertsTable[] = [];
  const deliveries: Delivery[] = [];
  const cancelled: RemindersOf[] = [];
  const insertDelivery = (delivery: Delivery): void => void deliveries.push(delivery);
  const accountAlertSettings = await findAlertSettings(tx, row.account_id);
  const context = { ...(await contextOfRow(tx, row, rules.seal)), accountAlertSettings };
  const storm = await stormOfAccount(tx, context, listeners, rules);
  notifyDeletion(
    {
      insertAlert: (alert) => void alerts.push(alert),
      // Channels that wait are not notified of a deletion.
      countChannel: () => undefined,
      insertDelivery,
      storms: createStorms({ ...storm.rows, insertDelivery }),
      cancelReminders: (reminders) => void cancelled.push(reminders),
      // Those of all channels are cancelled above.
      releaseDelivery: () => undefined,
      cancelCollecting: () => undefined,
    },
    {
      context,
      alerted,
      incident,
      ...(await lastOf(tx, state, state.last_result_id, rules.now)),
    },
    listeners,
    rules,
  );
  if (alerts.length > 0) await tx.insertInto('alerts').values(alerts).execute();
  rules.counts.addAlerts(alerts);
  rules.counts.addDeliveries(deliveries);
  for (let from = 0; from < deliveries.length; from += rowsAtOnce) {
    await insertDeliveries(tx, deliveries.slice(from, from + rowsAtOnce));
  }
  await storm.write();
  for (const { account_id, alert_channel_id, check_id } of cancelled) {
    await sql`UPDATE deliveries SET ${sql.raw(cancelReminder)} WHERE account_id = ${account_id}
      AND alert_channel_id IN (${alert_channel_id}, (SELECT routed_to FROM notified WHERE account_id = ${account_id}
        AND check_id = ${check_id} AND alert_channel_id = ${alert_channel_id}))
      AND ${alert_channel_id} IN (alert_channel_id, routed_from) AND check_id = ${check_id}
      AND ${sql.raw(isPendingReminder)}`.execute(tx);
  }
}

/** Alerts that wait for a message about a flapping check are replaced by the closing notification. */
async function cancelCollecting(tx: Kysely<Tables>, { account_id, id }: ChecksTable): Promise<void> {
  const rows = await tx
    .selectFrom('notified')
    .select('flapping')
    .where('account_id', '=', account_id)
    .where('check_id', '=', id)
    .where('flapping', 'is not', null)
    .execute();
  const collecting = rows.flatMap(({ flapping }) => parsedOrNull<FlappingNotice>(flapping)?.collectingId ?? []);
  if (collecting.length === 0) return;
  await tx
    .updateTable('deliveries')
    .set({ status: deliveryStatusCodes.encode('cancelled'), next_attempt_at: null, error: 'the check was deleted' })
    .where('account_id', '=', account_id)
    .where('id', 'in', collecting.map(idBytes))
    .where('status', '=', deliveryStatusCodes.encode('collecting'))
    .execute();
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

/** Locked before the storm of its account, as by recording. */
function lockState(tx: Kysely<Tables>, { account_id, id }: ChecksTable): Promise<CheckStatesTable | undefined> {
  const locked = tx.updateTable('check_states').set((table) => ({ updated_at: table.ref('updated_at') }));
  const ofCheck = locked.where('account_id', '=', account_id).where('check_id', '=', id);
  return ofCheck.returningAll().executeTakeFirst();
}

/** The storm that the closing alerts join, locked if one of the channels gets digests; `write` stores what changed. */
async function stormOfAccount(
  tx: Kysely<Tables>,
  { check: { accountId }, accountAlertSettings }: CheckContext,
  listeners: readonly ListenerRow[],
  { now, isDigested }: Pick<CloseRules, 'now' | 'isDigested'>,
): Promise<{ readonly rows: Omit<StormRows, 'insertDelivery'>; write(): Promise<void> }> {
  const account = idBytes(accountId);
  const isAny = listeners.some(({ type, grouping }) => grouping === 1 && isDigested?.(type) === true);
  const isRead = isAny && digestThresholdOf(accountAlertSettings) !== null;
  let read: StormRead = { row: undefined, alerted: [] };
  if (isRead) {
    const none = { account_id: account, started_at: null, is_current: 0, channels: '{}' };
    await tx
      .insertInto('alert_storms')
      .values(none)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    const storm = await lockStorm(tx, accountId);
    read = { row: stormRow(accountId, storm), alerted: await readAlerted(tx, account, now) };
  }
  let changed: AlertStormsTable | null = null;
  return {
    rows: {
      readStorm: () => read,
      writeStorm: (row) => void (changed = row),
      // Recoveries hasten no digest.
      hastenDigest: () => {},
    },
    async write() {
      if (changed === null) return;
      const { account_id, ...columns } = changed;
      await tx.updateTable('alert_storms').set(columns).where('account_id', '=', account_id).execute();
    },
  };
}

/** Channels with an open alert, ordered by ID. */
async function findListeners(tx: Kysely<Tables>, { account_id, id, group_id }: ChecksTable): Promise<ListenerRow[]> {
  const notified = await tx
    .selectFrom('notified')
    .innerJoin('alert_channels', (join) =>
      join
        .onRef('alert_channels.account_id', '=', 'notified.account_id')
        .onRef('alert_channels.id', '=', 'notified.alert_channel_id'),
    )
    .selectAll('alert_channels')
    .select([
      'notified.open',
      'notified.notified_at',
      'notified.reminders',
      'notified.flapping',
      'notified.certificates',
      'notified.is_grouped',
      'notified.escalates_at',
      'notified.alert_id',
    ])
    .where('notified.account_id', '=', account_id)
    .where('notified.check_id', '=', id)
    .where('notified.open', 'is not', null)
    .orderBy('alert_channels.id')
    .execute();
  if (notified.length === 0 || group_id === null)
    return notified.map((row) => ({ ...row, is_subscribed: 0, is_via_group: 0, escalation_minutes: null }));
  const key = { account_id, group_id, activated: 1 as const };
  const viaGroup = await findRows(tx, 'subscriptions', key, ['alert_channel_id']);
  const ofGroup = new Set(viaGroup.map(({ alert_channel_id }) => alert_channel_id));
  return notified.map((row) => ({
    ...row,
    is_subscribed: 0,
    is_via_group: flag(ofGroup.has(row.id)),
    escalation_minutes: null,
  }));
}

/** Input for its templates; of its account, only what they use. */
async function contextOfRow(tx: Kysely<Tables>, row: ChecksTable, seal: Seal): Promise<CheckContext> {
  const { account_id, group_id } = row;
  const variables = await findRows(tx, 'variables', { account_id });
  const group = group_id === null ? undefined : await findRow(tx, 'check_groups', { account_id, id: group_id });
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
  const result = await findRow(tx, 'results', { account_id, check_id, id: resultId }, ['started_at']);
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
