// Rows of schedules in SQLite: statements of the step `schedule-runs`; the decisions are in schedule-due.ts.
import { insertRow, writesOn } from '../../engines/sqlite/many-rows.ts';
import { createCounts } from '../../base/counts.ts';
import {
  type DueSchedule,
  inStep,
  type InStepRow,
  inStepRow,
  isOnSlot,
  nextOfRound,
  openRound,
  ownShareOf,
  phaseAfter,
  type PhaseRange,
  roomOf,
} from '../../schedules/schedule-rounds.ts';
import { createProgress, newIntervals } from '../../schedules/round-progress.ts';
import type { RunsTable } from '../../base/tables/schema.ts';
import type { ScheduleRoundsTable, SchedulesTable } from '../../base/tables/schedule-tables.ts';
import {
  isUntouched,
  type Scheduled,
  type ScheduleRows,
  scheduleRows,
  type ScheduleRules,
} from '../../schedules/schedule-due.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';
import { countUsage, remainingRuns, writeCounts } from '../../engines/sqlite/counts.ts';
import { createLateHours, sendLateHours } from '../../roll-ups/late-hours.ts';

/** Claims due schedules, inserts their runs and missed stretches and moves them to their next slot. */
export function scheduleDue(connection: Connection, rules: ScheduleRules): Scheduled {
  const { now, max } = rules;
  const ownShare = ownShareOf(max);
  const byThemselves = connection
    .prepare('SELECT * FROM schedules WHERE next_due_at <= ? ORDER BY next_due_at LIMIT ?')
    .all(now, ownShare) as unknown as SchedulesTable[];
  const { progress, known, ...rounds } = takeRounds(connection, now, max - byThemselves.length);
  progress.begin(newIntervals(byThemselves, known).map((interval_ms) => ({ interval_ms })));
  const due = [...byThemselves.map((row) => ({ row, nextDueAt: row.next_due_at, until: now })), ...rounds.due];
  const counts = createCounts();
  const late = createLateHours();
  const rows: ScheduleRows = {
    lap: Number(connection.prepare(`SELECT value FROM installation WHERE key = 'lap'`).get()?.['value'] ?? 0),
    remaining: (accountId) => remainingRuns(connection, accountId, now),
    isNew: isUntouched,
    insertRun: (row, isNew) => (isNew || !isRecorded(connection, row)) && insertRun(connection, row),
    insertMissed: (row) => insertRow(connection, 'results', row, 'ON CONFLICT DO NOTHING'),
    noteLate: late.note,
    move: ({ row }, nextDueAt) => {
      if (row.next_due_at !== inStep)
        moveOne(connection, row, isOnSlot(row, nextDueAt) && progress.joins(row) ? inStep : nextDueAt);
    },
    countUsage: (accountId, runs) => countUsage(connection, accountId, now, runs),
  };
  const done = scheduleRows(rows, due, rules, counts);
  for (const round of progress.written()) writeRound(connection, round);
  sendLateHours(writesOn(connection), late);
  writeCounts(connection, counts);
  const isMore = byThemselves.length >= ownShare || due.length >= max || progress.isMore();
  return { ...done, nextDueAt: isMore ? now : nextDueAt(connection, now) };
}

/** The due schedules of the rounds in progress, and the progress of these. */
function takeRounds(connection: Connection, now: number, max: number) {
  const rows = connection
    .prepare('SELECT * FROM schedule_rounds ORDER BY planned_to DESC')
    .all() as unknown as ScheduleRoundsTable[];
  const progress = createProgress(now);
  const due: DueSchedule[] = [];
  const open = rows.map((row) => openRound(row, now)).filter((round) => round !== null);
  for (const [index, round] of open.entries()) {
    const room = roomOf(max - due.length, open.length - index);
    const found = round.ranges.map((range) => readRange(connection, range, room + 1));
    due.push(...progress.goOn(round, found, room));
  }
  return { due, progress, known: new Set(rows.map(({ interval_ms }) => interval_ms)) };
}

function readRange(connection: Connection, range: PhaseRange, max: number): SchedulesTable[] {
  const { intervalMs, phaseMs, accountId, checkId, lastPhaseMs } = range;
  const read = connection.select<InStepRow>(
    `SELECT account_id, check_id, phase_ms, locations, run_parallel FROM schedules
     WHERE next_due_at = ${inStep} AND interval_ms = ?
       AND (phase_ms, account_id, check_id) > (?, ?, ?) AND phase_ms <= ?
     ORDER BY phase_ms, account_id, check_id LIMIT ?`,
  );
  const rows = read(intervalMs, phaseMs, accountId, checkId, lastPhaseMs, max);
  return rows.map((row) => inStepRow(row, intervalMs));
}

/** Writes the progress of the schedules of an interval. */
function writeRound(connection: Connection, round: ScheduleRoundsTable): void {
  connection
    .prepare(
      `INSERT OR REPLACE INTO schedule_rounds (interval_ms, planned_to, round_to, at_slot, at_account, at_check)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(round.interval_ms, round.planned_to, round.round_to, round.at_slot, round.at_account, round.at_check);
}

function moveOne(connection: Connection, { account_id, check_id }: SchedulesTable, nextDueAt: number): void {
  connection
    .prepare('UPDATE schedules SET next_due_at = ?1, planned_to = ?1 WHERE account_id = ?2 AND check_id = ?3')
    .run(nextDueAt, account_id, check_id);
}

/** When the next future schedule is due. Deletes rounds without schedules. */
function nextDueAt(connection: Connection, now: number): number | null {
  const own = connection.prepare('SELECT min(next_due_at) AS at FROM schedules').get();
  let next = own?.['at'] === null || own === undefined ? Number.POSITIVE_INFINITY : Number(own['at']);
  const intervals = connection.prepare('SELECT interval_ms FROM schedule_rounds').all();
  for (const { interval_ms } of intervals) {
    const intervalMs = Number(interval_ms);
    const found = connection.prepare(nextPhases).get(intervalMs, phaseAfter(intervalMs, now));
    const [later, first] = [found?.['later'], found?.['first']].map((at) => (typeof at === 'number' ? at : null));
    const at = nextOfRound(intervalMs, now, { later: later ?? null, first: first ?? null });
    if (at === null) connection.prepare('DELETE FROM schedule_rounds WHERE interval_ms = ?').run(intervalMs);
    else next = Math.min(next, at);
  }
  return next >= inStep ? null : next;
}

const nextPhase = `SELECT phase_ms FROM schedules WHERE next_due_at = ${inStep} AND interval_ms = ?1`;
const nextPhases = `SELECT (${nextPhase} AND phase_ms >= ?2 ORDER BY phase_ms LIMIT 1) AS later,
  (${nextPhase} ORDER BY phase_ms LIMIT 1) AS first`;

function isRecorded(connection: Connection, row: RunsTable): boolean {
  const found = connection.prepare('SELECT 1 FROM results WHERE account_id = ? AND check_id = ? AND id = ?');
  return found.get(row.account_id, row.check_id, row.id) !== undefined;
}

function insertRun(connection: Connection, row: RunsTable): boolean {
  const { changes } = connection
    .prepare(
      `INSERT INTO runs (account_id, id, check_id, location, source, slot_at, interval_ms, attempt, due_at, available_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8, ?8) ON CONFLICT DO NOTHING`,
    )
    .run(row.account_id, row.id, row.check_id, row.location, row.source, row.slot_at, row.interval_ms, row.due_at);
  return Number(changes) === 1;
}
