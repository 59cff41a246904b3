// Rows of schedules in PostgreSQL: a turn's rows are read at once, decided on in schedule-due.ts and written at once.
import { monthStart } from '#domain/accounts/account.ts';
import { firstIdAt, type IdBytes, idText, latin1 } from '../../base/codec.ts';
import { addToCounts, createCounts } from '../../base/counts.ts';
import { isUntouched, scheduleOf, type Scheduled, type ScheduleRows } from './schedule-due.ts';
import { scheduleRows, type ScheduleRules, slotRunId } from './schedule-due.ts';
import { type DueSchedule, inStep, isOnSlot, ownMostOf } from './schedule-rounds.ts';
import type { ResultsTable, RunsTable } from '../../base/tables/schema.ts';
import type { SchedulesTable } from '../../base/tables/schedule-tables.ts';
import { type Bulk, inPairs } from '../../engines/postgres/bulk.ts';
import { createLateHours, sendLateHours } from '../../history/postgres-late-hours.ts';
import { takeRounds } from './postgres-schedule-rounds.ts';
import type { Session } from '../../engines/postgres/session.ts';

/**
 * Takes due schedules that no other process is at, inserts their runs and missed stretches and moves them on. Four
 * journeys: what is due by itself, what in the rounds, whose limits, what is written.
 */
export async function scheduleDue(
  session: Session,
  bulk: Bulk,
  rules: ScheduleRules & { readonly isRepeated: boolean },
): Promise<Scheduled> {
  const { now, most, isRepeated } = rules;
  const ownMost = ownMostOf(most);
  const [rounds, byThemselves, [later]] = await Promise.all([
    // First: who waits here for an edit of many checks holds none of their rows.
    takeRounds(session, now),
    session.query<DueRow>(
      `SELECT ctid AS place, * FROM schedules WHERE next_due_at <= $1
       ORDER BY next_due_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [now, ownMost],
    ),
    session.query<{ at: number }>(
      `SELECT next_due_at AS at FROM schedules WHERE next_due_at > $1 AND next_due_at < ${inStep}
       ORDER BY next_due_at LIMIT 1`,
      [now],
    ),
  ]);
  const [inRounds, [lap]] = await Promise.all([
    rounds.due(most - byThemselves.length),
    // Asked when the rounds are held: who sets the clock back brings them back, too.
    session.query<{ value: string }>(`SELECT value FROM installation WHERE key = 'lap'`),
  ]);
  const due = [...byThemselves.map((row) => ({ row, nextDueAt: row.next_due_at, until: now })), ...inRounds];
  const next = (moved: readonly { readonly nextDueAt: number }[]): number | null => {
    if (byThemselves.length >= ownMost || due.length >= most || rounds.isMore()) return now;
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
  // That a slot is new is believed of its schedule once: what collides with a row that is there is looked up.
  const turn = createTurn(Number(lap?.value ?? 0), (row) => !isRepeated && isUntouched(row));
  const rows = due.map(({ row }) => row);
  const [remaining] = await Promise.all([remainingRuns(session, rows, now), turn.read(session, due, rules.plan)]);
  const counts = createCounts();
  const done = scheduleRows(turn.rows(remaining), due, rules, counts);
  // Neighbours in the index are written one after the other.
  bulk.send('runs', turn.runs.sort(byKey));
  bulk.send('results', turn.missed, 'ON CONFLICT DO NOTHING');
  sendLateHours(bulk, turn.late);
  const dueAts = turn.moved.map(({ row, nextDueAt }) =>
    isOnSlot(row, nextDueAt) && rounds.joins(row) ? inStep : nextDueAt,
  );
  sendMoved(session, byThemselves, dueAts);
  rounds.send();
  const month = monthStart(now);
  const used = turn.used.map(({ accountId, runs }) => ({ account_id: accountId, month, used: runs }));
  // In the order of the accounts, as all counters: two turns wait for each other one way.
  used.sort((a, b) => Buffer.compare(a.account_id, b.account_id));
  bulk.send('usage', used, 'ON CONFLICT (account_id, month) DO UPDATE SET used = usage.used + excluded.used');
  bulk.send('run_counts', counts.rows(now), addToCounts);
  return { ...done, nextDueAt: next(turn.moved) };
}

/** Schedules with a time of their own go on to their next slot, or in step. */
function sendMoved(session: Session, rows: readonly DueRow[], dueAts: readonly number[]): void {
  if (rows.length === 0) return;
  session.send(
    `UPDATE schedules s SET next_due_at = m.next_due_at, planned_to = m.next_due_at
     FROM unnest($1::tid[], $2::bytea[], $3::bytea[], $4::bigint[]) AS m (place, account_id, check_id, next_due_at)
     WHERE s.ctid = m.place AND s.account_id = m.account_id AND s.check_id = m.check_id`,
    [
      // Held rows stay where they are.
      rows.map(({ place }) => place),
      rows.map(({ account_id }) => account_id),
      rows.map(({ check_id }) => check_id),
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
 * Runs that each account with a limit may still start. Its row is held until the turn is over: two schedulers cannot
 * both take the last run.
 */
async function remainingRuns(
  session: Session,
  due: readonly SchedulesTable[],
  now: number,
): Promise<Map<string, number>> {
  const accounts = new Map(due.map(({ account_id }) => [latin1(account_id), account_id]));
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
  const usedBy = new Map(used.map((row) => [latin1(row.id), row.used]));
  return new Map(limited.map(({ id, most }) => [latin1(id), Math.max(0, most - (usedBy.get(latin1(id)) ?? 0))]));
}

/** The rows of one turn, in memory. */
function createTurn(lap: number, isNew: (row: SchedulesTable) => boolean) {
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
    // Those with a time of their own are, in their order.
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

/** Ids of slots that have their run, or their outcome, as far as it was looked for. */
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

/** Which of the slots have their run or their outcome. Nobody else adds any: the schedules are held. */
async function readTaken(session: Session, slots: readonly Slot[], taken: TakenSlots): Promise<void> {
  if (slots.length === 0) return;
  const accounts = slots.map(({ account_id }) => account_id);
  const checks = slots.map(({ check_id }) => check_id);
  const ids = slots.map(({ id }) => id);
  const [first, last] = slots.reduce(
    ([least, most], { slotAt }) => [Math.min(least, slotAt), Math.max(most, slotAt)],
    [Number.POSITIVE_INFINITY, 0],
  );
  const [waiting, recorded] = await Promise.all([
    session.query<{ id: IdBytes }>(`SELECT id FROM runs WHERE ${inPairs('(account_id, id)', 1)}`, [accounts, ids]),
    // The bounds name the days whose partitions are looked into.
    session.query<{ id: IdBytes }>(
      `SELECT r.id FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS s (account_id, check_id, id)
       JOIN results r ON r.account_id = s.account_id AND r.check_id = s.check_id AND r.id = s.id
       WHERE r.id >= $4 AND r.id < $5`,
      [accounts, checks, ids, firstIdAt(first), firstIdAt(last + 1)],
    ),
  ]);
  for (const { id } of waiting) taken.open.add(latin1(id));
  for (const { id } of recorded) taken.ended.add(latin1(id));
}
