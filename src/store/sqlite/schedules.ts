// Rows of schedules in SQLite: the statements of the step `schedule-runs`; the decisions are made in schedule-due.ts.
import { createCounts } from '../counts.ts';
import type { RunsTable, SchedulesTable } from '../schema.ts';
import { isUntouched, type Scheduled, type ScheduleRows, scheduleRows, type ScheduleRules } from '../schedule-due.ts';
import type { Connection } from './connection.ts';
import { countUsage, remainingRuns, writeCounts } from './counts.ts';
import { noteLate } from './late-hours.ts';
import { insertResult } from './results.ts';

/** Takes due schedules, inserts their runs and missed stretches and moves them to their next slot. */
export function scheduleDue(connection: Connection, rules: ScheduleRules): Scheduled {
  const due = connection
    .prepare('SELECT * FROM schedules WHERE next_due_at <= ? ORDER BY next_due_at LIMIT ?')
    .all(rules.now, rules.most) as unknown as SchedulesTable[];
  const counts = createCounts();
  const move = connection.prepare(
    'UPDATE schedules SET next_due_at = ?1, planned_to = ?1, turn = ?2 WHERE account_id = ?3 AND check_id = ?4',
  );
  const rows: ScheduleRows = {
    lap: Number(connection.prepare(`SELECT value FROM installation WHERE key = 'lap'`).get()?.['value'] ?? 0),
    remaining: (accountId) => remainingRuns(connection, accountId, rules.now),
    isNew: isUntouched,
    insertRun: (row, isNew) => (isNew || !isRecorded(connection, row)) && insertRun(connection, row),
    insertMissed: (row) => insertResult(connection, row),
    noteLate: (...hour) => noteLate(connection, ...hour),
    move: (row, nextDueAt, turn) => void move.run(nextDueAt, turn, row.account_id, row.check_id),
    countUsage: (accountId, runs) => countUsage(connection, accountId, rules.now, runs),
  };
  const done = scheduleRows(rows, due, rules, counts);
  writeCounts(connection, counts, rules.now);
  const next = connection.prepare('SELECT min(next_due_at) AS at FROM schedules').get();
  return { ...done, nextDueAt: next?.['at'] === null || next === undefined ? null : Number(next['at']) };
}

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
