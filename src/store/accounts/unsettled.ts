// Whether everything that was due before a time has an outcome: figures made earlier would miss a gap.
import { sql } from 'kysely';
import type { Db } from '../base/tables/schema.ts';
import type { ScheduleRoundsTable } from '../base/tables/schedule-tables.ts';
import { inStep, openRound, type PhaseRange } from '../schedules/schedule-rounds.ts';

/** @param before epoch ms @param now epoch ms */
export async function isSettled(reader: Db, before: number, now: number): Promise<boolean> {
  const dueIn = (table: 'schedules' | 'heartbeats', column: 'next_due_at' | 'due_at') =>
    sql`SELECT 1 AS found FROM ${sql.table(table)} WHERE ${sql.ref(column)} < ${before} LIMIT 1`.execute(reader);
  const found = await Promise.all([
    dueIn('schedules', 'next_due_at'),
    dueIn('heartbeats', 'due_at'),
    // A run that a set clock has moved into the future has no outcome soon.
    sql`SELECT 1 AS found FROM runs WHERE slot_at < ${before} AND due_at <= ${now} LIMIT 1`.execute(reader),
  ]);
  if (found.some(({ rows }) => rows.length > 0)) return false;
  const rounds = await reader.selectFrom('schedule_rounds').selectAll().execute();
  for (const round of rounds) if (await isRoundBehind(reader, round, before)) return false;
  return true;
}

/** Whether a schedule in step has a slot before that time that is not planned. */
async function isRoundBehind(reader: Db, round: ScheduleRoundsTable, before: number): Promise<boolean> {
  const ranges = openRound({ ...round, round_to: null }, before - 1)?.ranges ?? [];
  for (const range of ranges) if (await hasSchedules(reader, range)) return true;
  return false;
}

async function hasSchedules(reader: Db, range: PhaseRange): Promise<boolean> {
  const { intervalMs, phaseMs, accountId, checkId, lastPhaseMs } = range;
  const { rows } = await sql`
    SELECT 1 AS found FROM schedules
    WHERE next_due_at = ${sql.lit(inStep)} AND interval_ms = ${intervalMs} AND phase_ms <= ${lastPhaseMs}
      AND (phase_ms, account_id, check_id) > (${phaseMs}, ${accountId}, ${checkId}) LIMIT 1`.execute(reader);
  return rows.length > 0;
}
