// Rows of alerts and notification records in SQLite.
import type { Delivery } from '#domain/deliveries/delivery.ts';
import type { EndedAttempt } from '#domain/results/recording.ts';
import { countedFrom } from '#domain/alerts/alert-storm.ts';
import { alertedAtMost, createStorms, hastened, type StormRead } from '../../channels/storm-rows.ts';
import { cancelReminder, remindersOf } from '../../channels/cancel-reminders.ts';
import { idBytes, idText } from '../../base/codec.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import type { AlertStormsTable } from '../../base/tables/delivery-tables.ts';
import type { AlertsTable } from '../../base/tables/schema.ts';
import { endsOf, withEnds } from './held-alerts.ts';
import type { ListenerRow, NotifyRows } from './notify-channels.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';
import { cancelCollectingRow, insertDeliveryRow, releaseDeliveryRow } from '../deliveries/sqlite-delivery-rows.ts';
import { rowsStatement, writeRows } from '../../engines/sqlite/many-rows.ts';

/** @param now epoch ms */
export function notifyRowsOf(connection: Connection, now: number): NotifyRows {
  const insertDelivery = (delivery: Delivery): void => insertDeliveryRow(connection, delivery);
  return {
    listeners: (attempt) => findListeners(connection, attempt),
    writeNotified: (row) =>
      void connection
        .prepare(
          `INSERT INTO notified (account_id, check_id, alert_channel_id, open, certificates, notified_at, reminders,
             flapping, is_grouped, delivery_id)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, check_id, alert_channel_id) DO UPDATE SET
             open = excluded.open, certificates = excluded.certificates, notified_at = excluded.notified_at,
             reminders = excluded.reminders, flapping = excluded.flapping, is_grouped = excluded.is_grouped,
             delivery_id = coalesce(excluded.delivery_id, notified.delivery_id)`,
        )
        .run(
          row.account_id,
          row.check_id,
          row.alert_channel_id,
          row.open,
          row.certificates,
          row.notified_at,
          row.reminders,
          row.flapping,
          row.is_grouped,
          row.delivery_id,
        ),
    insertAlert: (row) => insertAlerts(connection, [row]),
    insertDelivery,
    releaseDelivery: (delivery) => releaseDeliveryRow(connection, delivery),
    cancelCollecting: (delivery, reason) => cancelCollectingRow(connection, delivery, reason),
    storms: createStorms({
      readStorm: (accountId) => readStorm(connection, accountId, now),
      writeStorm: (row) => writeStorm(connection, row),
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
  const alerted = connection.select<{ check_id: Uint8Array }>(
    `SELECT DISTINCT check_id FROM alerts WHERE account_id = ? AND created_at > ? AND created_at <= ?
       AND is_counted = 1 LIMIT ${alertedAtMost}`,
  )(key, countedFrom(now), now);
  return { row, alerted: alerted.map(({ check_id }) => idText(check_id)) };
}

function writeStorm(connection: Connection, row: AlertStormsTable): void {
  connection
    .prepare(
      `INSERT INTO alert_storms (account_id, started_at, is_current, channels) VALUES (?, ?, ?, ?)
       ON CONFLICT (account_id) DO UPDATE SET started_at = excluded.started_at, is_current = excluded.is_current,
         channels = excluded.channels`,
    )
    .run(row.account_id, row.started_at, row.is_current, row.channels);
}

const raised = rowsStatement(
  16,
  (rows) =>
    `INSERT INTO alerts (account_id, id, check_id, result_id, alert_type, check_name, check_type, location, response_us,
       error, status_code, started_at, created_at, incident_id, suppressed_by, is_counted) VALUES ${rows}`,
);

/** Adds alerts. */
export function insertAlerts(connection: Connection, rows: readonly AlertsTable[]): void {
  writeRows(connection, raised, rows, (row) => [
    row.account_id,
    row.id,
    row.check_id,
    row.result_id,
    row.alert_type,
    row.check_name,
    row.check_type,
    row.location,
    row.response_us,
    row.error,
    row.status_code,
    row.started_at,
    row.created_at,
    row.incident_id,
    row.suppressed_by,
    row.is_counted,
  ]);
}

/**
 * Channels subscribed to the check or its group, and those with an open alert. CROSS JOIN makes SQLite start with those
 * few instead of all channels of the account.
 */
function findListeners(connection: Connection, { run, context }: EndedAttempt): ListenerRow[] {
  const rows = connection
    .prepare(
      `WITH listening AS (
         SELECT alert_channel_id AS id, 1 AS is_subscribed, 0 AS is_via_group FROM subscriptions
         WHERE account_id = ?1 AND check_id = ?2 AND activated = 1
         UNION ALL
         SELECT alert_channel_id, 1, 1 FROM subscriptions WHERE account_id = ?1 AND group_id = ?3 AND activated = 1
         UNION ALL
         SELECT alert_channel_id, 0, 0 FROM notified WHERE account_id = ?1 AND check_id = ?2
           AND (open IS NOT NULL OR flapping IS NOT NULL))
       SELECT c.*, t.open AS open, t.certificates AS certificates, t.notified_at AS notified_at, t.reminders AS reminders,
         t.flapping AS flapping,
         coalesce(t.is_grouped, 0) AS is_grouped,
         max(l.is_subscribed) AS is_subscribed, max(l.is_via_group) AS is_via_group
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
