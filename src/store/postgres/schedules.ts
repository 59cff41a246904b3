// Rows of schedules in PostgreSQL: a turn's rows are read at once, decided on in schedule-due.ts and written at once.
import { monthStart } from '#domain/account.ts';
import type { RunPlan } from '#domain/plan-runs.ts';
import { type IdBytes, idBytes, idText } from '../codec.ts';
import { addToCounts, createCounts } from '../counts.ts';
import {
  scheduleOf,
  type Scheduled,
  type ScheduleRows,
  scheduleRows,
  type ScheduleRules,
  slotRunId,
} from '../schedule-due.ts';
import type { ResultsTable, RunsTable, SchedulesTable } from '../schema.ts';
import { type Bulk, inPairs } from './bulk.ts';
import type { Session } from './connections.ts';
import { createLateHours, insertLateHours } from './late-hours.ts';

/** Takes due schedules that no other process is at, inserts their runs and missed stretches and moves them on. */
export async function scheduleDue(session: Session, bulk: Bulk, rules: ScheduleRules): Promise<Scheduled> {
  const due = await session.query<SchedulesTable>(
    'SELECT * FROM schedules WHERE next_due_at <= $1 ORDER BY next_due_at LIMIT $2 FOR UPDATE SKIP LOCKED',
    [rules.now, rules.most],
  );
  if (due.length === 0) return { ...nothing, nextDueAt: await nextDueAt(session) };
  const [lap] = await session.query<{ value: string }>(`SELECT value FROM installation WHERE key = 'lap'`);
  const counts = createCounts();
  const turn = createTurn(Number(lap?.value ?? 0), await remainingRuns(session, due, rules.now));
  await turn.read(session, due, rules.plan);
  const done = scheduleRows(turn.rows, due, rules, counts);
  await bulk.insert('runs', turn.runs);
  await bulk.insert('results', turn.missed);
  await insertLateHours(bulk, turn.late);
  await session.query(
    `UPDATE schedules s SET next_due_at = m.next_due_at, turn = m.turn
     FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[]) AS m (account_id, check_id, next_due_at, turn)
     WHERE s.account_id = m.account_id AND s.check_id = m.check_id`,
    [
      turn.moved.map(({ row }) => row.account_id),
      turn.moved.map(({ row }) => row.check_id),
      turn.moved.map(({ nextDueAt }) => nextDueAt),
      turn.moved.map(({ turn }) => turn),
    ],
  );
  const month = monthStart(rules.now);
  const used = turn.used.map(({ accountId, runs }) => ({ account_id: accountId, month, used: runs }));
  await bulk.insert('usage', used, 'ON CONFLICT (account_id, month) DO UPDATE SET used = usage.used + excluded.used');
  await bulk.insert('run_counts', counts.rows(rules.now), addToCounts);
  return { ...done, nextDueAt: await nextDueAt(session) };
}

const nothing = { schedules: 0, runs: 0, missed: 0, latestByMs: 0 };

/** Of the schedules that others hold, too: who asks then is only too early. */
async function nextDueAt(session: Session): Promise<number | null> {
  const [next] = await session.query<{ at: number | null }>('SELECT min(next_due_at) AS at FROM schedules');
  return next?.at ?? null;
}

/**
 * Runs that each account with a limit may still start. Its row is held until the turn is over: two schedulers cannot
 * both take the last run.
 */
async function remainingRuns(
  session: Session,
  due: readonly SchedulesTable[],
  now: number,
): Promise<Map<string, number>> {
  const accounts = new Map(due.map(({ account_id }) => [idText(account_id), account_id]));
  const ids = [...accounts.values()];
  const limited = await session.query<{ id: IdBytes; most: number }>(
    `SELECT id, execution_limit AS most FROM accounts WHERE id = ANY($1) AND execution_limit IS NOT NULL
     ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  );
  if (limited.length === 0) return new Map();
  // Read after the rows are held, so that what another turn has just used is seen.
  const used = await session.query<{ id: IdBytes; used: number }>(
    'SELECT account_id AS id, used FROM usage WHERE account_id = ANY($1) AND month = $2',
    [limited.map(({ id }) => id), monthStart(now)],
  );
  const usedBy = new Map(used.map((row) => [idText(row.id), row.used]));
  return new Map(limited.map(({ id, most }) => [idText(id), Math.max(0, most - (usedBy.get(idText(id)) ?? 0))]));
}

/** The rows of one turn, in memory. */
function createTurn(lap: number, remaining: ReadonlyMap<string, number>) {
  const open = new Set<string>();
  const ended = new Set<string>();
  const runs: RunsTable[] = [];
  const missed: ResultsTable[] = [];
  const moved: { row: SchedulesTable; nextDueAt: number; turn: number }[] = [];
  const used: { accountId: IdBytes; runs: number }[] = [];
  const late = createLateHours();
  const rows: ScheduleRows = {
    lap,
    remaining: (accountId) => remaining.get(idText(accountId)) ?? Number.POSITIVE_INFINITY,
    insertRun(row) {
      const id = idText(row.id);
      if (open.has(id) || ended.has(id)) return false;
      open.add(id);
      runs.push(row);
      return true;
    },
    insertMissed(row) {
      const id = idText(row.id);
      if (ended.has(id)) return false;
      ended.add(id);
      missed.push(row);
      return true;
    },
    noteLate: late.note,
    move: (row, nextDueAt, turn) => void moved.push({ row, nextDueAt, turn }),
    countUsage: (accountId, count) => void used.push({ accountId, runs: count }),
  };
  /** Which of the slots that the plans name have their run or their outcome. Nobody else adds any: the rows are held. */
  const read = async (
    session: Session,
    due: readonly SchedulesTable[],
    plan: (row: ReturnType<typeof scheduleOf>) => RunPlan,
  ) => {
    const slots = due.flatMap((row) => {
      const { runs, missed } = plan(scheduleOf(row));
      return [...runs, ...missed].map(({ slotAt, location }) => ({
        ...row,
        id: idBytes(slotRunId(slotAt, idText(row.check_id), location, lap)),
      }));
    });
    const accounts = slots.map(({ account_id }) => account_id);
    const ids = slots.map(({ id }) => id);
    const waiting = await session.query<{ id: IdBytes }>(
      `SELECT id FROM runs WHERE ${inPairs('(account_id, id)', 1)}`,
      [accounts, ids],
    );
    const recorded = await session.query<{ id: IdBytes }>(
      `SELECT r.id FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS s (account_id, check_id, id)
       JOIN results r ON r.account_id = s.account_id AND r.check_id = s.check_id AND r.id = s.id`,
      [accounts, slots.map(({ check_id }) => check_id), ids],
    );
    for (const { id } of waiting) open.add(idText(id));
    for (const { id } of recorded) ended.add(idText(id));
  };
  return { rows, runs, missed, moved, used, late, read };
}
