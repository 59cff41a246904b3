// Rows of schedules in PostgreSQL, read and written in batches; the decisions are in schedule-due.ts.
import { monthStart } from '#domain/accounts/account.ts';
import { firstIdAt, type IdBytes, idText, latin1 } from '../../base/codec.ts';
import { addToCounts, createCounts } from '../../base/counts.ts';
import { isUntouched, scheduleOf, type Scheduled, type ScheduleRows } from '../../schedules/schedule-due.ts';
import { scheduleRows, type ScheduleRules, slotRunId } from '../../schedules/schedule-due.ts';
import { type DueSchedule, inStep, isOnSlot, ownShareOf } from '../../schedules/schedule-rounds.ts';
import type { ResultsTable, RunsTable } from '../../base/tables/schema.ts';
import type { SchedulesTable } from '../../base/tables/schedule-tables.ts';
import { type Bulk, inPairs, columnsOf } from '../../engines/postgres/bulk.ts';
import { createLateHours, sendLateHours } from '../../roll-ups/late-hours.ts';
import { takeRounds } from './postgres-schedule-rounds.ts';
import type { Session } from '../../engines/postgres/session.ts';

/**
 * Claims due schedules that are not locked by another process, inserts their runs and missed stretches, and updates
 * them. Four round trips: individually due schedules, rounds, limits, writes.
 */
export async function scheduleDue(
  session: Session,
  bulk: Bulk,
  rules: ScheduleRules & { readonly isRepeated: boolean },
): Promise<Scheduled> {
  const { now, max, isRepeated } = rules;
  const ownShare = ownShareOf(max);
  const [rounds, byThemselves, [later]] = await Promise.all([
    // First: while waiting for an edit of many checks, it must hold no locks on their rows.
    takeRounds(session, bulk, now),
    session.query<DueRow>(
      `SELECT ctid AS place, * FROM schedules WHERE next_due_at <= $1
       ORDER BY next_due_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [now, ownShare],
    ),
    session.query<{ at: number }>(
      `SELECT next_due_at AS at FROM schedules WHERE next_due_at > $1 AND next_due_at < ${inStep}
       ORDER BY next_due_at LIMIT 1`,
      [now],
    ),
  ]);
  const [inRounds, [lap]] = await Promise.all([
    rounds.due(max - byThemselves.length),
    // Read while the rounds are locked: setting the clock back moves them back, too.
    session.query<{ value: string }>(`SELECT value FROM installation WHERE key = 'lap'`),
  ]);
  const due = [...byThemselves.map((row) => ({ row, nextDueAt: row.next_due_at, until: now })), ...inRounds];
  const next = (moved: readonly { readonly nextDueAt: number }[]): number | null => {
    if (byThemselves.length >= ownShare || due.length >= max || rounds.isMore()) return now;
    const at = moved.reduce(
      (least, { nextDueAt }) => Math.min(least, nextDueAt),
      later?.at ?? Number.POSITIVE_INFINITY,
    );
    const first = Math.min(at, rounds.nextDueAt());
    return first === Number.POSITIVE_INFINITY ? null : first;
  };
  if (due.length === 0) {
    rounds.send();
    return { ...nothing, nextDueAt: next([]) };
  }
  await rounds.begin(byThemselves);
  // The first attempt assumes that slots are new; conflicts with existing rows are looked up.
  const batch = createBatch(Number(lap?.value ?? 0), (row) => !isRepeated && isUntouched(row));
  const rows = due.map(({ row }) => row);
  const [remaining] = await Promise.all([remainingRuns(session, rows, now), batch.read(session, due, rules.plan)]);
  const counts = createCounts();
  const done = scheduleRows(batch.rows(remaining), due, rules, counts);
  // Neighbors in the index are written together.
  bulk.send('runs', batch.runs.sort(byKey));
  bulk.send('results', batch.missed, 'ON CONFLICT DO NOTHING');
  sendLateHours(bulk, batch.late);
  const dueAts = batch.moved.map(({ row, nextDueAt }) =>
    isOnSlot(row, nextDueAt) && rounds.joins(row) ? inStep : nextDueAt,
  );
  sendMoved(session, byThemselves, dueAts);
  rounds.send();
  const month = monthStart(now);
  const used = batch.used.map(({ accountId, runs }) => ({ account_id: accountId, month, used: runs }));
  // Ordered by account, like all counters, to avoid deadlocks.
  used.sort((a, b) => Buffer.compare(a.account_id, b.account_id));
  bulk.send('usage', used, 'ON CONFLICT (account_id, month) DO UPDATE SET used = usage.used + excluded.used');
  bulk.send('account_counts', counts.rows(), addToCounts);
  return { ...done, nextDueAt: next(batch.moved) };
}

/** Schedules with an individual due time continue with their next slot, or in step. */
function sendMoved(session: Session, rows: readonly DueRow[], dueAts: readonly number[]): void {
  if (rows.length === 0) return;
  session.send(
    `UPDATE schedules s SET next_due_at = m.next_due_at, planned_to = m.next_due_at
     FROM unnest($1::tid[], $2::bytea[], $3::bytea[], $4::bigint[]) AS m (place, account_id, check_id, next_due_at)
     WHERE s.ctid = m.place AND s.account_id = m.account_id AND s.check_id = m.check_id`,
    [
      // Locked rows do not move.
      ...columnsOf(rows, 'place', 'account_id', 'check_id'),
      dueAts,
    ],
  );
}

function byKey(a: RunsTable, b: RunsTable): number {
  return Buffer.compare(a.account_id, b.account_id) || Buffer.compare(a.id, b.id);
}

type DueRow = SchedulesTable & { readonly place: string };

const nothing = { schedules: 0, runs: 0, missed: 0, latestByMs: 0 };

/**
 * Runs that each account with a limit may still start. Its row is locked for the transaction, so that two schedulers
 * cannot both use the last run.
 */
async function remainingRuns(
  session: Session,
  due: readonly SchedulesTable[],
  now: number,
): Promise<Map<string, number>> {
  const accounts = new Map(due.map(({ account_id }) => [latin1(account_id), account_id]));
  const ids = [...accounts.values()];
  const limited = await session.query<{ id: IdBytes; max: number }>(
    `SELECT id, execution_limit AS max FROM accounts WHERE id = ANY($1) AND execution_limit IS NOT NULL
     ORDER BY id FOR NO KEY UPDATE`,
    [ids],
  );
  if (limited.length === 0) return new Map();
  // Read after locking, so that runs just counted by another tick are visible.
  const used = await session.query<{ id: IdBytes; used: number }>(
    'SELECT account_id AS id, used FROM usage WHERE account_id = ANY($1) AND month = $2',
    [limited.map(({ id }) => id), monthStart(now)],
  );
  const usedBy = new Map(used.map((row) => [latin1(row.id), row.used]));
  return new Map(limited.map(({ id, max }) => [latin1(id), Math.max(0, max - (usedBy.get(latin1(id)) ?? 0))]));
}

/** The rows of a tick, in memory. */
function createBatch(lap: number, isNew: (row: SchedulesTable) => boolean) {
  const taken: TakenSlots = { open: new Set(), ended: new Set() };
  const runs: RunsTable[] = [];
  const missed: ResultsTable[] = [];
  const moved: { row: SchedulesTable; nextDueAt: number }[] = [];
  const used: { accountId: IdBytes; runs: number }[] = [];
  const late = createLateHours();
  const rows = (remaining: ReadonlyMap<string, number>): ScheduleRows => ({
    lap,
    isNew,
    remaining: (accountId) => remaining.get(latin1(accountId)) ?? Number.POSITIVE_INFINITY,
    insertRun(row, isKnownToBeNew) {
      if (!isKnownToBeNew) {
        const id = latin1(row.id);
        if (taken.open.has(id) || taken.ended.has(id)) return false;
        taken.open.add(id);
      }
      runs.push(row);
      return true;
    },
    insertMissed(row) {
      const id = latin1(row.id);
      if (taken.ended.has(id)) return false;
      taken.ended.add(id);
      missed.push(row);
      return true;
    },
    noteLate: late.note,
    // Those with an individual due time, in order.
    move: ({ row }, nextDueAt) => void (row.next_due_at !== inStep && moved.push({ row, nextDueAt })),
    countUsage: (accountId, count) => void used.push({ accountId, runs: count }),
  });
  const read = (session: Session, due: readonly DueSchedule[], plan: ScheduleRules['plan']) =>
    readTaken(
      session,
      due.flatMap((each) => (isNew(each.row) ? [] : slotsOf(each, plan, lap))),
      taken,
    );
  return { rows, runs, missed, moved, used, late, read };
}

/** IDs of slots that are known to have a run or an outcome. */
interface TakenSlots {
  readonly open: Set<string>;
  readonly ended: Set<string>;
}

type Slot = Pick<SchedulesTable, 'account_id' | 'check_id'> & { readonly slotAt: number; readonly id: IdBytes };

function slotsOf(due: DueSchedule, plan: ScheduleRules['plan'], lap: number): Slot[] {
  const { account_id, check_id } = due.row;
  const { runs, missed } = plan(scheduleOf(due));
  return [...runs, ...missed].map(({ slotAt, location }) => ({
    account_id,
    check_id,
    slotAt,
    id: slotRunId(slotAt, idText(check_id), location, lap),
  }));
}

/** Which of the slots have a run or an outcome. No other process adds any: the schedules are locked. */
async function readTaken(session: Session, slots: readonly Slot[], taken: TakenSlots): Promise<void> {
  if (slots.length === 0) return;
  const [first, last] = slots.reduce(
    ([least, max], { slotAt }) => [Math.min(least, slotAt), Math.max(max, slotAt)],
    [Number.POSITIVE_INFINITY, 0],
  );
  const [waiting, recorded] = await Promise.all([
    session.query<{ id: IdBytes }>(
      `SELECT id FROM runs WHERE ${inPairs('(account_id, id)', 1)}`,
      columnsOf(slots, 'account_id', 'id'),
    ),
    // The bounds restrict the partitions to read.
    session.query<{ id: IdBytes }>(
      `SELECT r.id FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS s (account_id, check_id, id)
       JOIN results r ON r.account_id = s.account_id AND r.check_id = s.check_id AND r.id = s.id
       WHERE r.id >= $4 AND r.id < $5`,
      [...columnsOf(slots, 'account_id', 'check_id', 'id'), firstIdAt(first), firstIdAt(last + 1)],
    ),
  ]);
  for (const { id } of waiting) taken.open.add(latin1(id));
  for (const { id } of recorded) taken.ended.add(latin1(id));
}
