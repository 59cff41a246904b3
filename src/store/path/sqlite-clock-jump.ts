// Shifts everything that waits when the machine's clock is set, so that it keeps its distance in real time.
import { maxRequestedWaitMs, retryPausesMs } from '#domain/deliveries/delivery.ts';
import { nextSlot } from '#domain/checks/slot.ts';
import { clockSetMs } from '#lib/followed-clock.ts';
import { locationsAt } from './record/check-state-rows.ts';
import { broughtBack, inStep } from '../schedules/schedule-rounds.ts';
import type { CheckStatesTable } from '../base/tables/schema.ts';
import type { ScheduleRoundsTable, SchedulesTable } from '../base/tables/schedule-tables.ts';
import type { Connection } from '../engines/sqlite/connection.ts';
import { moveHeartbeatsWithClock } from './heartbeats/sqlite-heartbeats.ts';
import { rewindRollUps } from '../roll-ups/sqlite-rewind.ts';
import { writeRound } from './schedule/sqlite-schedules.ts';

/**
 * Shifts due times and leases of runs and deliveries by `byMs`, and the times since which checks have not been passing,
 * so that an alert due after some minutes is sent after those minutes. Schedules further in the future than their
 * interval (the clock was set back) are due at their next slot, and states do not wait for results of a repeated time.
 * After a forward jump, skipped slots are recorded as missed. Timers of heartbeats continue while the machine is
 * suspended, as the monitored jobs did.
 */
export function moveWithClock(
  connection: Connection,
  byMs: number,
  now: number,
  slept: { readonly ms: number; readonly after: number },
): void {
  connection
    .prepare('UPDATE runs SET available_at = available_at + ?1, first_started_at = first_started_at + ?1')
    .run(byMs);
  connection
    .prepare(
      `UPDATE deliveries SET next_attempt_at = next_attempt_at + ?1, quota_waits_since = quota_waits_since + ?1
       WHERE status = 0`,
    )
    .run(byMs);
  connection
    .prepare('UPDATE alert_channels SET requested_until = requested_until + ? WHERE requested_until IS NOT NULL')
    .run(byMs);
  connection
    .prepare(
      `UPDATE check_states SET revision = revision + 1, since = since + ?1, failing_since = failing_since + ?1
       WHERE status <> 'passing'`,
    )
    .run(byMs);
  moveHeartbeatsWithClock(connection, byMs, slept);
  bringSchedulesBack(connection, now);
  bringStatesBack(connection, now);
  rewindRollUps(connection, now);
}

/** States do not wait for results of a future time: the next result of each location counts. */
export function bringStatesBack(connection: Connection, now: number): void {
  const rows = connection
    .prepare('SELECT * FROM check_states WHERE position_at > ?')
    .all(now + clockSetMs) as unknown as CheckStatesTable[];
  const move = connection.prepare(
    `UPDATE check_states SET position_at = NULL, position_started_at = NULL, by_location = ?
     WHERE account_id = ? AND check_id = ?`,
  );
  for (const row of rows) move.run(locationsAt(row, now), row.account_id, row.check_id);
}

/**
 * Deliveries whose retry is further in the future than any delay (the clock was set back while nothing ran) wait one
 * delay. Those of a long tail keep their time. First attempts keep a delay that their receiver can have requested.
 */
export function bringDeliveriesBack(connection: Connection, now: number): void {
  const latest = now + Math.max(...retryPausesMs);
  connection
    .prepare(
      `UPDATE deliveries SET next_attempt_at = ?1
       WHERE status = 0 AND attempts <= ?2 AND next_attempt_at > ?1`,
    )
    .run(latest, retryPausesMs.length);
  connection
    .prepare('UPDATE alert_channels SET requested_until = NULL WHERE requested_until > ?')
    .run(now + maxRequestedWaitMs);
}

/**
 * Schedules further in the future than their interval are due at their next slot, as are those of rounds in the future;
 * returns the number of such schedules and rounds. A smaller difference than a change of the clock is correction, and
 * not a lap.
 */
export function bringSchedulesBack(connection: Connection, now: number): number {
  const rows = connection
    .prepare(`SELECT * FROM schedules WHERE next_due_at > ? + interval_ms AND next_due_at < ${inStep}`)
    .all(now + clockSetMs) as unknown as SchedulesTable[];
  const move = connection.prepare('UPDATE schedules SET next_due_at = ? WHERE account_id = ? AND check_id = ?');
  for (const row of rows) move.run(nextSlot(now, row.interval_ms, row.phase_ms), row.account_id, row.check_id);
  const rounds = bringRoundsBack(connection, now);
  if (rows.length + rounds > 0) {
    connection
      .prepare(
        `INSERT INTO installation (key, value) VALUES ('lap', '1')
         ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)`,
      )
      .run();
  }
  return rows.length + rounds;
}

function bringRoundsBack(connection: Connection, now: number): number {
  const rows = connection.prepare('SELECT * FROM schedule_rounds').all() as unknown as ScheduleRoundsTable[];
  const ahead = rows.map((row) => broughtBack(row, now, clockSetMs)).filter((row) => row !== null);
  for (const row of ahead) writeRound(connection, row);
  return ahead.length;
}
