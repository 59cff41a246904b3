// What recording reads in SQLite: check states, needed checks, channels and alert storms.
import type { EndedAttempt } from '#domain/results/recording.ts';
import { countedFrom } from '#domain/alerts/alert-storm.ts';
import { countedChecks, type StormRead } from '../../channels/storm-rows.ts';
import { type IdBytes, idBytes, idText } from '../../base/codec.ts';
import { deliveryStatusCodes } from '../../base/codes.ts';
import type { AlertStormsTable } from '../../base/tables/delivery-tables.ts';
import type { CheckStatesTable } from '../../base/tables/schema.ts';
import type { Contexts } from '../../checks/sqlite-contexts.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';
import { endsOf, withEnds } from './held-alerts.ts';
import { isListening, type ListenerRow } from './listener-rows.ts';
import type { RecordReads } from './recording.ts';
import { type FailureMessageRow, messageColumns, messageJoins, messageOf, neededOnce } from './suppression.ts';

/** Reads of a transaction that releases no runs. @param now epoch ms */
export function readsOf(connection: Connection, contexts: Pick<Contexts, 'read'>, now: number): RecordReads {
  return {
    release: () => true,
    state: (accountId, checkId) => readState(connection, accountId, checkId),
    needed: neededOnce((accountId, checkId) => {
      const context = contexts.read(connection, accountId, checkId);
      if (context === null) return null;
      const key: [IdBytes, IdBytes] = [idBytes(accountId), idBytes(checkId)];
      return {
        context,
        state: undefined,
        messages: () =>
          connection
            .select<FailureMessageRow>(messages)(...key)
            .map(messageOf),
        hasChannel: () => connection.prepare(channel).get(...key, context.check.groupId) !== undefined,
      };
    }),
    locationOf: (...key) => {
      const sql = 'SELECT location FROM results WHERE account_id = ? AND check_id = ? AND id = ?';
      const row = connection.prepare(sql).get(...key);
      return row === undefined ? undefined : String(row['location']);
    },
    listeners: (attempt) => findListeners(connection, attempt),
    readStorm: (accountId) => readStorm(connection, accountId, now),
  };
}

const messages = `SELECT ${messageColumns} FROM notified t ${messageJoins} WHERE t.account_id = ? AND t.check_id = ?`;

const channel = `SELECT 1 FROM subscriptions s
  JOIN alert_channels c ON c.account_id = s.account_id AND c.id = s.alert_channel_id AND c.send_failure = 1
  WHERE s.account_id = ?1 AND (s.check_id = ?2 OR s.group_id = ?3) AND s.activated = 1 LIMIT 1`;

/** The row of a check, if it has one. */
export function readState(connection: Connection, accountId: IdBytes, checkId: IdBytes): CheckStatesTable | undefined {
  return connection
    .prepare('SELECT * FROM check_states WHERE account_id = ? AND check_id = ?')
    .get(accountId, checkId) as unknown as CheckStatesTable | undefined;
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
