// Rows of heartbeats in SQLite: pings and due heartbeats; the decisions are in receive-pings.ts and
// judge-heartbeats.ts.
import { type Heartbeat, neverAt, maxWaiting } from '#domain/checks/heartbeat.ts';
import type { CheckContext } from '#domain/results/recording.ts';
import { idBytes, idText } from '../../base/codec.ts';
import { createCounts } from '../../base/counts.ts';
import { heartbeatUpdate, movedRow, type WaitingPing, waitingPingOf } from '../../schedules/heartbeat-rows.ts';
import type { HeartbeatsTable, WaitingPingsTable } from '../../base/tables/heartbeat-tables.ts';
import { type JudgedBatch, judgeRows, type JudgeRules } from './judge-heartbeats.ts';
import { type PingAnswer, receiveBatch, type ReceivedPing } from './receive-pings.ts';
import { readReception, type Reception, receptionKey } from './reception.ts';
import type { CheckStatesTable, ChecksTable } from '../../base/tables/schema.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';
import { writeCounts } from '../../engines/sqlite/counts.ts';
import { insertRows, updateRow } from '../../engines/sqlite/many-rows.ts';
import { recordLocked } from '../record/sqlite-results.ts';
import type { Contexts } from '../../checks/sqlite-contexts.ts';

/** Stores pings; each gets its own result. */
export function receivePings(connection: Connection, received: readonly ReceivedPing[]): readonly PingAnswer[] {
  const find = connection.prepare('SELECT * FROM heartbeats WHERE token = ?');
  const rows = [...new Set(received.map(({ token }) => token))].flatMap((token) => {
    const row = find.get(idBytes(token)) as unknown as HeartbeatsTable | undefined;
    return row === undefined ? [] : [row];
  });
  const { answers, pings, waiting, heartbeats } = receiveBatch(received, rows);
  insertRows(connection, 'pings', pings, 'ON CONFLICT DO NOTHING');
  insertRows(connection, 'waiting_pings', waiting);
  for (const heartbeat of heartbeats) moveHeartbeat(connection, heartbeat);
  return answers;
}

// One by one: several per statement cost as much each, and a single one twice as much.
function moveHeartbeat(connection: Connection, heartbeat: Heartbeat): void {
  updateRow(connection, heartbeatUpdate, movedRow(heartbeat));
}

/** Number of heartbeats per slice, which blocks the event loop. */
const atOnce = 350;
/** Keys of the heartbeats to evaluate; other reads join them. */
const dueKeys = '(SELECT account_id, check_id FROM heartbeats WHERE due_at <= ? ORDER BY due_at LIMIT ?) h';

/** A due heartbeat with its check. */
type DueRow = Omit<HeartbeatsTable, 'token'> & ChecksTable;

/**
 * Evaluates due heartbeats, and records their outcomes.
 */
export function judgeHeartbeats(
  connection: Connection,
  rules: JudgeRules,
  contexts: Pick<Contexts, 'read' | 'ofRows'>,
): JudgedBatch {
  const { now } = rules;
  const max = Math.min(rules.max, atOnce);
  const reception = readFact(connection);
  const rows = connection.select<DueRow>(
    `SELECT h.account_id, h.check_id, h.is_active, h.period_ms, h.grace_ms, h.due_at, h.timer_at, h.pinged_at, h.started_at,
       h.result_at, h.is_passing, h.is_excused, c.check_type, c.name, c.activated, c.muted, c.group_id, c.tags,
       c.definition, c.created_at, c.updated_at
     FROM (SELECT * FROM heartbeats WHERE due_at <= ? ORDER BY due_at LIMIT ?) h
     CROSS JOIN checks c ON c.account_id = h.account_id AND c.id = h.check_id`,
  )(now, max);
  // The same bytes, which are not read again.
  for (const row of rows) row.id = row.check_id;
  const ofRows = contexts.ofRows(connection, rows);
  const contextOf = (_: Heartbeat, index: number): CheckContext | null => ofRows[index] ?? null;
  const counts = createCounts();
  const called = findCalled(connection, now, max);
  const waiting = (heartbeat: Heartbeat): readonly WaitingPing[] =>
    called.has(heartbeat.checkId) ? takeWaiting(connection, heartbeat) : [];
  const { attempts, heartbeats, missing } = judgeRows(rows, { waiting, contextOf, reception }, rules, counts);
  const states = connection.select<CheckStatesTable>(
    `SELECT s.* FROM ${dueKeys} CROSS JOIN check_states s ON s.account_id = h.account_id AND s.check_id = h.check_id`,
  )(now, max);
  const pinged = (): ReadonlySet<string> => findPinged(connection, now, max);
  const recorded = recordLocked(
    connection,
    attempts,
    { states, pinged, contexts },
    { ...rules, isDivisible: rows.length > 1 },
  );
  insertRows(connection, 'pings', missing, 'ON CONFLICT DO NOTHING');
  for (const heartbeat of heartbeats) moveHeartbeat(connection, heartbeat);
  writeCounts(connection, counts);
  const next = connection.prepare('SELECT min(due_at) AS at FROM heartbeats').get()?.['at'];
  const pairs = attempts.flatMap((attempt, index) => {
    const one = recorded[index];
    return one === undefined ? [] : [{ attempt, recorded: one }];
  });
  const nextDueAt = typeof next !== 'number' || next >= neverAt ? null : next;
  return { examined: rows.length, recorded: pairs, nextDueAt };
}

function readFact(connection: Connection): Reception {
  const row = connection.prepare('SELECT value FROM installation WHERE key = ?').get(receptionKey);
  return readReception(row === undefined ? null : String(row['value']));
}

/** Those with waiting pings: most overdue heartbeats have none, so one query replaces one per heartbeat. */
function findCalled(connection: Connection, now: number, max: number): ReadonlySet<string> {
  if (connection.prepare('SELECT 1 FROM waiting_pings LIMIT 1').get() === undefined) return new Set();
  const rows = connection
    .prepare(
      `SELECT DISTINCT w.check_id FROM ${dueKeys}
       CROSS JOIN waiting_pings w ON w.account_id = h.account_id AND w.check_id = h.check_id`,
    )
    .all(now, max);
  return new Set(rows.map((row) => idText(row['check_id'] as Uint8Array)));
}

/** Those that could notify a channel, with those in a group listed separately. */
function findPinged(connection: Connection, now: number, max: number): ReadonlySet<string> {
  const rows = connection
    .prepare(
      `SELECT h.check_id FROM ${dueKeys}
       WHERE EXISTS (SELECT 1 FROM subscriptions s WHERE s.account_id = h.account_id AND s.check_id = h.check_id)
         OR EXISTS (SELECT 1 FROM notified t WHERE t.account_id = h.account_id AND t.check_id = h.check_id)`,
    )
    .all(now, max);
  return new Set(rows.map((row) => idText(row['check_id'] as Uint8Array)));
}

/** Claims the waiting pings. */
function takeWaiting(connection: Connection, heartbeat: Heartbeat): readonly WaitingPing[] {
  const key = [idBytes(heartbeat.accountId), idBytes(heartbeat.checkId)] as const;
  const rows = connection
    // IDs start with the time of the clock: after it was set back, they are not in the order of arrival.
    .prepare('SELECT * FROM waiting_pings WHERE account_id = ? AND check_id = ? ORDER BY received_at, id LIMIT ?')
    .all(...key, maxWaiting) as unknown as WaitingPingsTable[];
  const remove = connection.prepare('DELETE FROM waiting_pings WHERE account_id = ? AND check_id = ? AND id = ?');
  for (const { id } of rows) remove.run(...key, id);
  return rows.map(waitingPingOf);
}
