// Deadlines of heartbeats when the clock was set, on both engines.
import { neverAt } from '#domain/checks/heartbeat.ts';
import { clockSetMs } from '#lib/followed-clock.ts';
import { query, type Statements } from '../../engines/statements.ts';
import { movedReception, receptionKey } from './reception.ts';

/** A suspension of the machine. */
export interface Suspension {
  readonly ms: number;
  /** Timers started later than this, by the time before the clock was set, did not run meanwhile; epoch ms. */
  readonly after: number;
}

/**
 * The clock was set by `byMs`: deadlines keep their distance, except for time that the machine was suspended.
 * @param locking ends a SELECT of rows that are updated
 */
export function* moveHeartbeatsWithClock(
  byMs: number,
  { ms: sleptMs, after }: Suspension,
  locking: string,
): Statements<void> {
  // Timers started after the suspension, but before the clock was moved, have an earlier time.
  const moved = (column: string): string =>
    `${column} + CASE WHEN ${column} > $3 THEN CAST($1 AS BIGINT) ELSE CAST($2 AS BIGINT) END`;
  const values = [byMs, byMs - sleptMs, sleptMs > 0 ? after : Number.MAX_SAFE_INTEGER];
  yield* query(
    `UPDATE heartbeats SET timer_at = ${moved('timer_at')}, pinged_at = ${moved('pinged_at')}, started_at = ${moved('started_at')},
       result_at = ${moved('result_at')}, due_at = CASE WHEN due_at >= ${neverAt} THEN due_at
         WHEN timer_at > $3 THEN due_at + CAST($1 AS BIGINT) ELSE due_at + CAST($2 AS BIGINT) END WHERE timer_at IS NOT NULL`,
    values,
  );
  // A state does not wait for results of a repeated time.
  yield* query(`UPDATE waiting_pings SET received_at = ${moved('received_at')}`, values);
  const [row] = yield* query<{ value: string }>(`SELECT value FROM installation WHERE key = $1 ${locking}`, [
    receptionKey,
  ]);
  if (row === undefined) return;
  const value = movedReception(row.value, byMs - sleptMs);
  yield* query('UPDATE installation SET value = $1 WHERE key = $2', [value, receptionKey]);
}

/** Deadlines in the future (the clock was set back while nothing ran) start now. @param now epoch ms */
export function* bringHeartbeatsBack(now: number): Statements<void> {
  const values = [now, now + clockSetMs];
  const atMost = (column: string): string => `CASE WHEN ${column} > $1 THEN $1 ELSE ${column} END`;
  yield* query(
    `UPDATE heartbeats SET timer_at = $1, pinged_at = ${atMost('pinged_at')}, started_at = NULL, result_at = ${atMost('result_at')},
       due_at = CASE WHEN due_at < ${neverAt} THEN $1 ELSE due_at END WHERE timer_at > $2`,
    values,
  );
  yield* query('UPDATE waiting_pings SET received_at = $1 WHERE received_at > $2', values);
}
