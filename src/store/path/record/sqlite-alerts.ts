// Rows of alerts and notification records in SQLite.
import type { Delivery } from '#domain/deliveries/delivery.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { countedFrom } from '#domain/alerts/alert-storm.ts';
import { countedChecks, createStorms, hastened, type StormRead } from '../../channels/storm-rows.ts';
import { cancelReminder, remindersOf } from '../../channels/cancel-reminders.ts';
import { idBytes, idText } from '../../base/codec.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import type { Counts } from '../../base/counts.ts';
import type { AlertStormsTable } from '../../base/tables/delivery-tables.ts';
import { endsOf, withEnds } from './held-alerts.ts';
import { channelCounted } from './insert-alert.ts';
import { isListening, type ListenerRow } from './listener-rows.ts';
import type { NotifyRows } from './notify-channels.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';
import { cancelCollectingRow, insertDeliveryRow, releaseDeliveryRow } from '../deliveries/sqlite-delivery-rows.ts';
import { insertRow } from '../../engines/sqlite/many-rows.ts';
import { rowEndings } from './row-endings.ts';

/**
 * @param now epoch ms
 * @param counts counts what is added; the caller writes it
 */
export function notifyRowsOf(connection: Connection, now: number, counts: Counts): NotifyRows {
  const insertDelivery = (delivery: Delivery): void => {
    insertDeliveryRow(connection, delivery);
    counts.addDeliveries([delivery]);
  };
  return {
    listeners: (attempt) => findListeners(connection, attempt),
    writeNotified: (row) => void insertRow(connection, 'notified', row, rowEndings.notified),
    insertAlert: (row) => {
      insertRow(connection, 'alerts', row);
      counts.addAlerts([row]);
    },
    countChannel: ({ account_id, id }) => void connection.prepare(channelCounted('?1', '?2')).run(account_id, id),
    insertDelivery,
    releaseDelivery: (delivery) => releaseDeliveryRow(connection, delivery),
    cancelCollecting: (delivery, reason) => cancelCollectingRow(connection, delivery, reason),
    storms: createStorms({
      readStorm: (accountId) => readStorm(connection, accountId, now),
      writeStorm: (row) => void insertRow(connection, 'alert_storms', row, rowEndings.alert_storms),
      insertDelivery,
      hastenDigest: ({ accountId, digestId, dueAt }) =>
        void connection.prepare(hastened('?1', '?2', '?3')).run(idBytes(accountId), idBytes(digestId), dueAt),
    }),
    cancelReminders: ({ account_id, check_id, alert_channel_id }) =>
      void connection
        .prepare(`UPDATE deliveries SET ${cancelReminder} WHERE ${remindersOf('?1', '?2', '?3')}`)
        .run(account_id, alert_channel_id, check_id),
  };
}

function readStorm(connection: Connection, accountId: string, now: number): StormRead {
  const key = idBytes(accountId);
  const [row] = connection.select<AlertStormsTable>('SELECT * FROM alert_storms WHERE account_id = ?')(key);
  if (row !== undefined && row.started_at !== null) return { row, alerted: [] };
  const alerted = connection.select<{ check_id: Uint8Array }>(countedChecks('?1', '?2', '?3'))(
    key,
    countedFrom(now),
    now,
  );
  return { row, alerted: alerted.map(({ check_id }) => idText(check_id)) };
}

/**
 * Channels subscribed to the check or its group, and those with an open alert. CROSS JOIN makes SQLite start with those
 * few instead of all channels of the account.
 */
function findListeners(connection: Connection, { run, context }: EndedAttempt): ListenerRow[] {
  const rows = connection
    .prepare(
      `WITH listening AS (
         SELECT alert_channel_id AS id, 1 AS is_subscribed, 0 AS is_via_group, escalation_minutes FROM subscriptions
         WHERE account_id = ?1 AND check_id = ?2 AND activated = 1
         UNION ALL
         SELECT alert_channel_id, 1, 1, escalation_minutes FROM subscriptions
         WHERE account_id = ?1 AND group_id = ?3 AND activated = 1
         UNION ALL
         SELECT alert_channel_id, 0, 0, NULL FROM notified WHERE account_id = ?1 AND check_id = ?2
           AND ${isListening('')})
       SELECT c.*, t.open AS open, t.certificates AS certificates, t.notified_at AS notified_at, t.reminders AS reminders,
         t.flapping AS flapping, t.escalates_at AS escalates_at, t.alert_id AS alert_id,
         coalesce(t.is_grouped, 0) AS is_grouped,
         max(l.is_subscribed) AS is_subscribed, max(l.is_via_group) AS is_via_group,
         min(l.escalation_minutes) AS escalation_minutes
       FROM listening l
       CROSS JOIN alert_channels c ON c.account_id = ?1 AND c.id = l.id
       LEFT JOIN notified t ON t.account_id = ?1 AND t.check_id = ?2 AND t.alert_channel_id = l.id
       GROUP BY c.id ORDER BY c.id`,
    )
    .all(idBytes(run.accountId), idBytes(run.checkId), context.check.groupId) as unknown as ListenerRow[];
  const isWaiting = (id: string): boolean =>
    connection
      .prepare(
        `SELECT 1 FROM deliveries WHERE account_id = ? AND id = ? AND status = ${deliveryStatusCodes.encode('pending')}`,
      )
      .get(idBytes(run.accountId), idBytes(id)) !== undefined;
  return withEnds(rows, new Set(endsOf(rows).filter(isWaiting)));
}
