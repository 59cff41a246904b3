// When the machine's clock is set, everything that waits keeps its distance in real time.
import { nextSlot } from '#domain/slot.ts';
import type { SchedulesTable } from '../schema.ts';
import type { Connection } from './connection.ts';

/**
 * Moves due times and leases of runs and deliveries by `byMs`. Schedules that lie further ahead than their interval
 * (the clock was set back) are due at their next slot, and states no longer wait for results of a time that will come
 * again. Forward jumps leave schedules as they are: their slots are recorded as missed.
 */
export function moveWithClock(connection: Connection, byMs: number, now: number): void {
  connection.prepare('UPDATE runs SET available_at = available_at + ?').run(byMs);
  connection.prepare('UPDATE deliveries SET next_attempt_at = next_attempt_at + ? WHERE status = 0').run(byMs);
  bringSchedulesBack(connection, now);
  connection
    .prepare('UPDATE check_states SET position_at = NULL, position_started_at = NULL WHERE position_at > ?')
    .run(now);
}

/** Schedules further ahead than their interval are due at their next slot; answers how many there were. */
export function bringSchedulesBack(connection: Connection, now: number): number {
  const rows = connection
    .prepare('SELECT * FROM schedules WHERE next_due_at > ? + interval_ms')
    .all(now) as unknown as SchedulesTable[];
  const move = connection.prepare('UPDATE schedules SET next_due_at = ? WHERE account_id = ? AND check_id = ?');
  for (const row of rows) move.run(nextSlot(now, row.interval_ms, row.phase_ms), row.account_id, row.check_id);
  if (rows.length > 0) {
    connection
      .prepare(
        `INSERT INTO installation (key, value) VALUES ('lap', '1')
         ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)`,
      )
      .run();
  }
  return rows.length;
}
