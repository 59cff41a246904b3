// Rows of heartbeats in PostgreSQL: reads, locks and writes them in batches; the decisions are in receive-pings.ts and
// judge-heartbeats.ts.
import { type Heartbeat, neverAt, maxWaiting } from '#domain/checks/heartbeat.ts';
import { idBytes, idText } from '../../base/codec.ts';
import { addToCounts, createCounts } from '../../base/counts.ts';
import {
  heartbeatKey,
  heartbeatUpdate,
  movedRow,
  type WaitingPing,
  waitingPingOf,
} from '../../schedules/heartbeat-rows.ts';
import type { HeartbeatsTable, WaitingPingsTable } from '../../base/tables/heartbeat-tables.ts';
import { type JudgedBatch, judgeRows, type JudgeRules } from './judge-heartbeats.ts';
import { type PingAnswer, receiveBatch, type ReceivedPing } from './receive-pings.ts';
import { readReception, type Reception, receptionKey } from './reception.ts';
import { type Bulk, columnsOf } from '../../engines/postgres/bulk.ts';
import type { Contexts } from '../../checks/postgres-contexts.ts';
import { recordLocked } from '../record/postgres-results.ts';
import type { Session } from '../../engines/postgres/session.ts';

/** Stores pings; each gets its own result. */
export async function receivePings(
  session: Session,
  bulk: Bulk,
  received: readonly ReceivedPing[],
): Promise<readonly PingAnswer[]> {
  const tokens = [...new Set(received.map(({ token }) => token))].map(idBytes);
  const rows = await session.query<HeartbeatsTable>(
    'SELECT * FROM heartbeats WHERE token = ANY($1) ORDER BY account_id, check_id FOR NO KEY UPDATE',
    [tokens],
  );
  if (rows.length === 0) return received.map(() => ({ outcome: 'unknown' }));
  const { answers, pings, waiting, heartbeats } = receiveBatch(received, rows);
  bulk.send('pings', pings, 'ON CONFLICT DO NOTHING');
  bulk.send('waiting_pings', waiting);
  sendMoved(bulk, heartbeats);
  return answers;
}

/** Writes locked heartbeats. */
function sendMoved(bulk: Bulk, heartbeats: readonly Heartbeat[]): void {
  bulk.sendUpdate(heartbeatUpdate, heartbeats.map(movedRow));
}

/** Evaluates due heartbeats that are not locked by another process, and records their outcomes. */
export async function judgeHeartbeats(
  session: Session,
  bulk: Bulk,
  rules: JudgeRules,
  contexts: Contexts,
): Promise<JudgedBatch> {
  const { now, max } = rules;
  const [reception, rows, [later]] = await Promise.all([
    readFact(session),
    session.query<HeartbeatsTable>(
      'SELECT * FROM heartbeats WHERE due_at <= $1 ORDER BY due_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED',
      [now, max],
    ),
    session.query<{ at: number }>(
      `SELECT due_at AS at FROM heartbeats WHERE due_at > $1 AND due_at < ${neverAt} ORDER BY due_at LIMIT 1`,
      [now],
    ),
  ]);
  if (rows.length === 0) return { examined: 0, recorded: [], nextDueAt: later?.at ?? null };
  // After locking, so that what is read is at least as new.
  const owners = rows.map((row) => ({ accountId: idText(row.account_id), checkId: idText(row.check_id) }));
  const read = await contexts.read(session, owners);
  const contextBy = new Map(owners.map((owner, index) => [heartbeatKey(owner), read[index] ?? null]));
  // Only for those being evaluated, because claimed pings are deleted.
  const waiting = await takeWaiting(
    session,
    rows.filter((_, index) => (read[index] ?? null) !== null),
  );
  const counts = createCounts();
  const judged = judgeRows(
    rows,
    {
      waiting: (heartbeat) => waiting.get(heartbeatKey(heartbeat)) ?? [],
      contextOf: (heartbeat) => contextBy.get(heartbeatKey(heartbeat)) ?? null,
      reception,
    },
    rules,
    counts,
  );
  const { attempts, heartbeats, missing } = judged;
  const recorded =
    attempts.length === 0
      ? []
      : await recordLocked(session, bulk, attempts, { ...rules, isDivisible: rows.length > 1 }, contexts);
  bulk.send('pings', missing, 'ON CONFLICT DO NOTHING');
  sendMoved(bulk, heartbeats);
  // Last, as in all recording transactions.
  bulk.send('account_counts', counts.rows(), addToCounts);
  const pairs = attempts.flatMap((attempt, index) => {
    const one = recorded[index];
    return one === undefined ? [] : [{ attempt, recorded: one }];
  });
  const next = heartbeats.reduce((least, { dueAt }) => Math.min(least, dueAt), later?.at ?? neverAt);
  const nextDueAt = rows.length === max ? now : next >= neverAt ? null : next;
  return { examined: rows.length, recorded: pairs, nextDueAt };
}

async function readFact(session: Session): Promise<Reception> {
  const [row] = await session.query<{ value: string }>('SELECT value FROM installation WHERE key = $1', [receptionKey]);
  return readReception(row?.value ?? null);
}

/** Claims the waiting pings, by heartbeat. */
async function takeWaiting(
  session: Session,
  rows: readonly HeartbeatsTable[],
): Promise<ReadonlyMap<string, readonly WaitingPing[]>> {
  const taken = await session.query<WaitingPingsTable>(
    `DELETE FROM waiting_pings w USING (
       SELECT p.account_id, p.check_id, p.id FROM unnest($1::bytea[], $2::bytea[]) AS k (account_id, check_id)
       CROSS JOIN LATERAL (
         SELECT account_id, check_id, id FROM waiting_pings
         WHERE account_id = k.account_id AND check_id = k.check_id ORDER BY received_at, id LIMIT ${maxWaiting}) p) f
     WHERE w.account_id = f.account_id AND w.check_id = f.check_id AND w.id = f.id RETURNING w.*`,
    columnsOf(rows, 'account_id', 'check_id'),
  );
  // IDs start with the time of the clock: after it was set back, they are not in the order of arrival.
  taken.sort((a, b) => a.received_at - b.received_at || Buffer.compare(a.id, b.id));
  const byHeartbeat = Map.groupBy(taken, (row) => idText(row.account_id) + idText(row.check_id));
  return new Map([...byHeartbeat].map(([key, own]) => [key, own.map(waitingPingOf)]));
}
