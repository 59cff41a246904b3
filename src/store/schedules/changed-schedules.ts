// Records the outcome of due slots before a change or deactivation of their check moves the schedule
// (docs/decisions/0010).
import type { Selectable } from 'kysely';
import { findFact } from '../base/installation-fact.ts';
import { addCounts, createCounts } from '../base/counts.ts';
import { insertRows } from '../base/rows.ts';
import { planRuns } from '#domain/checks/plan-runs.ts';
import { hourOf, isLate } from '#domain/results/roll-up.ts';
import { idText } from '../base/codec.ts';
import { lockRounds } from '../base/locks/lock-rounds.ts';
import { outcomeCodes, reasonCodes, sourceCodes } from '../base/codes.ts';
import { noteLateHour } from '../roll-ups/late-hours.ts';
import { dueAtOf, inStep } from './schedule-rounds.ts';
import type { Db } from '../base/tables/schema.ts';
import type { ScheduleRoundsTable, SchedulesTable } from '../base/tables/schedule-tables.ts';
import { scheduleOf, slotRunId } from './schedule-due.ts';

const message = 'not run: the check was changed before it could be';

/** Rounds that a transaction has locked and read; null = not yet. */
export interface HeldRounds {
  rounds: ReadonlyMap<number, Selectable<ScheduleRoundsTable>> | null;
}

/**
 * Records all slots of the row up to `now` (epoch ms) as missed, as one result per location where the scheduler would
 * have run them. Call it in the transaction that moves or deletes the row.
 * @param held shared by the calls of a transaction
 */
export async function missDueSlots(
  tx: Db,
  row: SchedulesTable,
  now: number,
  ownLocation: string,
  held: HeldRounds = { rounds: null },
): Promise<void> {
  const dueAt = await heldDueAt(tx, row, held);
  if (dueAt > now) return;
  const lap = Number((await findFact(tx, 'lap')) ?? 0);
  const due = scheduleOf({ row, nextDueAt: dueAt, until: now });
  const counts = createCounts();
  for (const { slotAt, location } of planRuns(due, now, [ownLocation]).runs) {
    const slots = (slotAt - dueAt) / row.interval_ms + 1;
    const id = slotRunId(dueAt, idText(row.check_id), location, lap);
    const inserted = await insertRows(tx, 'results', { ...missedResult(row, now), id, location, slots }, 'keep');
    if (inserted === 0) continue;
    const stretch = { slotAt: dueAt, slots, intervalMs: row.interval_ms };
    counts.addSlots(row.account_id, stretch, now, ['scheduled', 'missed']);
  }
  if (counts.rows().length > 0 && isLate(dueAt, now)) await noteLateHour(tx, row, hourOf(dueAt));
  await addCounts(tx, counts);
}

/**
 * When the schedule is due, while its round is locked: planning holds the round, and a transaction that finds it moved
 * is repeated.
 */
async function heldDueAt(tx: Db, row: SchedulesTable, held: HeldRounds): Promise<number> {
  if (row.next_due_at !== inStep) return row.next_due_at;
  if (held.rounds === null) {
    await lockRounds(tx);
    const rounds = await tx.selectFrom('schedule_rounds').selectAll().execute();
    held.rounds = new Map(rounds.map((round) => [round.interval_ms, round]));
  }
  return dueAtOf(row, held.rounds.get(row.interval_ms));
}

function missedResult({ account_id, check_id, interval_ms }: SchedulesTable, now: number) {
  return {
    account_id,
    check_id,
    run_id: null,
    attempt: 1,
    outcome: outcomeCodes.encode('missed'),
    reason: reasonCodes.encode('changed'),
    message,
    source: sourceCodes.encode('SCHEDULER'),
    started_at: now,
    duration_ms: 0,
    response_us: null,
    loop_delay_ms: 0,
    details: null,
    interval_ms,
  };
}
