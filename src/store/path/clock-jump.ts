// Shifts everything that waits when the clock was set, so that it keeps its distance in real time, on both engines
// (docs/decisions/0016).
import { longestEscalationMinutes } from '#domain/alerts/alert-channel.ts';
import { maxRequestedWaitMs, retryPausesMs } from '#domain/deliveries/delivery.ts';
import { nextSlot } from '#domain/checks/schedule.ts';
import { gatheredMs } from '#domain/status-pages/page-changes.ts';
import { confirmableMs } from '#domain/status-pages/status-subscriber.ts';
import { clockSetMs } from '#lib/followed-clock.ts';
import { query, type Statements } from '../engines/statements.ts';
import type { CheckStatesTable } from '../base/tables/schema.ts';
import type { ScheduleRoundsTable, SchedulesTable } from '../base/tables/schedule-tables.ts';
import { rewindRollUps } from '../roll-ups/rewind.ts';
import { broughtBack, inStep } from '../schedules/schedule-rounds.ts';
import { bringHeartbeatsBack, moveHeartbeatsWithClock, type Suspension } from './heartbeats/heartbeat-clock.ts';
import { locationsAt } from './record/check-state-rows.ts';

/** What differs between the engines. */
export interface ClockEngine {
  /** Ends a SELECT of rows that are updated: it locks them if there are several writers. */
  readonly locking: string;
  /** Times of a waiting run that move, including the one that its index contains. */
  readonly runTimes: readonly string[];
  /** Blocks roll-ups until the transaction ends; null = none can be in progress. */
  readonly rollUpLock: string | null;
}

/**
 * Time that continues while a transaction waits for locks, epoch ms, so that rows written meanwhile do not appear to be
 * in the future.
 */
export type GoingTime = () => number;

/**
 * Shifts due times and leases of runs and deliveries by `byMs`, and the times since which checks have not been passing,
 * so that an alert due after some minutes is sent after those minutes. Moves back times further in the future than
 * possible. After a forward jump, skipped slots are recorded as missed. Timers of heartbeats continue while the machine
 * is suspended, as the monitored jobs did.
 */
export function* moveWithClock(engine: ClockEngine, byMs: number, now: GoingTime, slept: Suspension): Statements<void> {
  yield* query(`UPDATE runs SET ${engine.runTimes.map((time) => `${time} = ${time} + $1`).join(', ')}`, [byMs]);
  yield* query(
    `UPDATE deliveries SET next_attempt_at = next_attempt_at + $1, quota_waits_since = quota_waits_since + $1
     WHERE status = 0`,
    [byMs],
  );
  yield* query('UPDATE alert_channels SET requested_until = requested_until + $1 WHERE requested_until IS NOT NULL', [
    byMs,
  ]);
  yield* query(
    `UPDATE check_states SET revision = revision + 1, since = since + $1, failing_since = failing_since + $1
     WHERE status <> 'passing'`,
    [byMs],
  );
  yield* query('UPDATE notified SET escalates_at = escalates_at + $1 WHERE escalates_at IS NOT NULL', [byMs]);
  yield* query('UPDATE status_page_changes SET due_at = due_at + $1 WHERE ended_at IS NULL', [byMs]);
  yield* query('UPDATE status_subscribers SET mail_due_at = mail_due_at + $1 WHERE mail_due_at IS NOT NULL', [byMs]);
  yield* query('UPDATE status_mail_slots SET free_at = free_at + $1', [byMs]);
  yield* moveHeartbeatsWithClock(byMs, slept, engine.locking);
  yield* bringChecksBack(engine, now);
}

/**
 * At the start of a process: moves back times that are further in the future than possible, because the clock was set
 * back while nothing ran. Other processes may be running: their writes are as new as the time of reading.
 */
export function* bringBack(engine: ClockEngine, now: GoingTime): Statements<void> {
  yield* bringChecksBack(engine, now);
  yield* bringHeartbeatsBack(now());
  yield* bringDeliveriesBack(now());
  yield* bringStatusMailsBack(now());
}

function* bringChecksBack(engine: ClockEngine, now: GoingTime): Statements<void> {
  if (engine.rollUpLock !== null) yield* query(engine.rollUpLock);
  yield* rewindRollUps(now());
  yield* bringSchedulesBack(engine, now);
  yield* bringStatesBack(engine, now);
}

/**
 * Deliveries whose retry is further in the future than any delay wait one delay. Those of a long tail keep their time.
 * First attempts keep a delay that their receiver can have requested.
 */
function* bringDeliveriesBack(now: number): Statements<void> {
  yield* query(
    `UPDATE deliveries SET next_attempt_at = $1
     WHERE status = 0 AND attempts <= $2 AND next_attempt_at > $1`,
    [now + Math.max(...retryPausesMs), retryPausesMs.length],
  );
  // Too early is better than too late.
  yield* query('UPDATE notified SET escalates_at = $1 WHERE escalates_at - $1 > $2', [
    now,
    longestEscalationMinutes * 60_000,
  ]);
  yield* query('UPDATE alert_channels SET requested_until = NULL WHERE requested_until > $1', [
    now + maxRequestedWaitMs,
  ]);
}

/** Mails of status pages that are further in the future than any of them can wait. */
function* bringStatusMailsBack(now: number): Statements<void> {
  yield* query('UPDATE status_page_changes SET due_at = $1 WHERE ended_at IS NULL AND due_at > $1', [now + gatheredMs]);
  yield* query('UPDATE status_subscribers SET mail_due_at = $1 WHERE mail_due_at - $1 > $2', [now, confirmableMs]);
  yield* query('DELETE FROM status_mail_slots WHERE free_at > $1', [now + confirmableMs]);
}

/** States do not wait for results of a future time: the next result of each location counts. */
function* bringStatesBack({ locking }: ClockEngine, now: GoingTime): Statements<void> {
  const rows = yield* query<CheckStatesTable>(
    `SELECT * FROM check_states WHERE position_at > $1 ORDER BY account_id, check_id ${locking}`,
    [now() + clockSetMs],
  );
  const readAt = now();
  for (const row of rows.filter(({ position_at }) => (position_at ?? 0) > readAt + clockSetMs)) {
    yield* query(
      `UPDATE check_states SET position_at = NULL, position_started_at = NULL, by_location = $1
       WHERE account_id = $2 AND check_id = $3`,
      [locationsAt(row, readAt), row.account_id, row.check_id],
    );
  }
}

/**
 * Schedules further in the future than their interval are due at their next slot, as are those of rounds in the future.
 * A smaller difference than a change of the clock is one between two processes or a correction, and not a lap.
 */
function* bringSchedulesBack({ locking }: ClockEngine, now: GoingTime): Statements<void> {
  const rows = yield* query<SchedulesTable>(
    `SELECT * FROM schedules WHERE next_due_at > $1 + interval_ms AND next_due_at < ${inStep}
     ORDER BY account_id, check_id ${locking}`,
    [now() + clockSetMs],
  );
  const readAt = now();
  const ahead = rows.filter(({ next_due_at, interval_ms }) => next_due_at > readAt + clockSetMs + interval_ms);
  const rounds = yield* bringRoundsBack(locking, now);
  if (ahead.length + rounds === 0) return;
  for (const row of ahead) {
    yield* query('UPDATE schedules SET next_due_at = $1 WHERE account_id = $2 AND check_id = $3', [
      nextSlot(readAt, row.interval_ms, row.phase_ms),
      row.account_id,
      row.check_id,
    ]);
  }
  yield* query(
    `INSERT INTO installation (key, value) VALUES ('lap', '1')
     ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(installation.value AS INTEGER) + 1 AS TEXT)`,
  );
}

/** @returns number of rows in the future of the time at which they were processed */
function* bringRoundsBack(locking: string, now: GoingTime): Statements<number> {
  const rows = yield* query<ScheduleRoundsTable>(`SELECT * FROM schedule_rounds ORDER BY interval_ms ${locking}`);
  const readAt = now();
  const ahead = rows.map((row) => broughtBack(row, readAt, clockSetMs)).filter((row) => row !== null);
  for (const row of ahead) {
    yield* query(
      `UPDATE schedule_rounds SET planned_to = $1, round_to = $2, at_slot = $3, at_account = $4, at_check = $5
       WHERE interval_ms = $6`,
      [row.planned_to, row.round_to, row.at_slot, row.at_account, row.at_check, row.interval_ms],
    );
  }
  return ahead.length;
}
