// Shifts everything that waits in PostgreSQL when the clock is set, so that it keeps its distance in real time
// (docs/decisions/0016).
import { maxRequestedWaitMs, retryPausesMs } from '#domain/deliveries/delivery.ts';
import { nextSlot } from '#domain/checks/slot.ts';
import { clockSetMs } from '#lib/followed-clock.ts';
import { locationsAt } from './record/check-state-rows.ts';
import { broughtBack, inStep } from '../schedules/schedule-rounds.ts';
import type { CheckStatesTable } from '../base/tables/schema.ts';
import type { ScheduleRoundsTable, SchedulesTable } from '../base/tables/schedule-tables.ts';
import { bringHeartbeatsBack, moveHeartbeatsWithClock } from './heartbeats/postgres-heartbeats.ts';
import { rewindRollUps } from '../roll-ups/postgres-rewind.ts';
import { bringForward } from './deliveries/postgres-shared-channels.ts';
import { sendRounds } from './schedule/postgres-schedule-rounds.ts';
import type { Session } from '../engines/postgres/session.ts';

/** All processes notice a change of the server's clock within this time of each other, ms. */
const sameSettingMs = 60_000;
/** And measure its size within this difference, ms. */
const sameDistanceMs = 1500;

/**
 * Time that continues while a transaction waits for locks, epoch ms, so that rows written meanwhile do not appear to be
 * in the future.
 */
export type GoingTime = () => number;

/**
 * The same, once for all processes that notice a change of the server's clock: the first one does it and records that.
 * The others used the old time until now: each moves back due times (retries, deliveries, pings, states, schedules)
 * that are further in the future than possible.
 */
export async function moveOnceWithClock(session: Session, byMs: number, now: GoingTime): Promise<void> {
  await session.query(`INSERT INTO installation (key, value) VALUES ('clock-set', '') ON CONFLICT DO NOTHING`);
  const [note] = await session.query<{ value: string }>(
    `SELECT value FROM installation WHERE key = 'clock-set' FOR UPDATE`,
  );
  const [at = Number.NaN, distance = Number.NaN] = (note?.value ?? '').split('/').map(Number);
  if (Math.abs(now() - at) < sameSettingMs && Math.abs(byMs - distance) < sameDistanceMs) {
    if (byMs < 0) await moveLaterTimesBack(session, byMs, now);
    return;
  }
  await session.query(`UPDATE installation SET value = $1 WHERE key = 'clock-set'`, [`${now()}/${byMs}`]);
  await moveWithClock(session, byMs, now);
}

/** Further in the future than any retry of a run (`maxDurationSeconds`) or lease, ms. */
const maxAhead = 11 * 60_000;

async function moveLaterTimesBack(session: Session, byMs: number, now: GoingTime): Promise<void> {
  await session.query(
    `UPDATE runs SET due_at = CASE WHEN due_at > $1 THEN due_at + $2 ELSE due_at END, available_at = available_at + $2
     WHERE available_at > $1`,
    [now() + maxAhead, byMs],
  );
  await takeOver(session, now);
}

/**
 * Shifts due times and leases of runs and deliveries by `byMs`, and the times since which checks have not been passing;
 * moves back times further in the future than possible. Times are epoch ms.
 */
export async function moveWithClock(session: Session, byMs: number, now: GoingTime): Promise<void> {
  await session.query(
    `UPDATE runs SET due_at = due_at + $1, available_at = available_at + $1, first_started_at = first_started_at + $1`,
    [byMs],
  );
  await session.query(
    `UPDATE deliveries SET next_attempt_at = next_attempt_at + $1, quota_waits_since = quota_waits_since + $1
     WHERE status = 0`,
    [byMs],
  );
  await session.query(
    'UPDATE alert_channels SET requested_until = requested_until + $1 WHERE requested_until IS NOT NULL',
    [byMs],
  );
  await session.query(
    `UPDATE check_states SET revision = revision + 1, since = since + $1, failing_since = failing_since + $1 WHERE status <> 'passing'`,
    [byMs],
  );
  await moveHeartbeatsWithClock(session, byMs);
  await rewindRollUps(session, now());
  await bringSchedulesBack(session, now);
  await bringStatesBack(session, now);
}

/**
 * At the start of a process: moves back times that are further in the future than possible. Leases are kept: their
 * owners may be alive, and otherwise they expire; expired ones are due before everything newer. Other processes are
 * running: their writes are as new as the time of reading.
 */
export async function takeOver(session: Session, now: GoingTime): Promise<void> {
  await rewindRollUps(session, now());
  await bringSchedulesBack(session, now);
  await bringStatesBack(session, now);
  await bringHeartbeatsBack(session, now);
  await session.query(
    `UPDATE deliveries SET next_attempt_at = $1
     WHERE status = 0 AND attempts <= $2 AND next_attempt_at > $1`,
    [now() + Math.max(...retryPausesMs), retryPausesMs.length],
  );
  await session.query('UPDATE alert_channels SET requested_until = NULL WHERE requested_until > $1', [
    now() + maxRequestedWaitMs,
  ]);
  await bringForward(session, { owner: '', now: now() }, []);
}

async function bringStatesBack(session: Session, now: GoingTime): Promise<void> {
  const rows = await session.query<CheckStatesTable>(
    'SELECT * FROM check_states WHERE position_at > $1 ORDER BY account_id, check_id FOR NO KEY UPDATE',
    [now() + clockSetMs],
  );
  const readAt = now();
  for (const row of rows.filter(({ position_at }) => (position_at ?? 0) > readAt + clockSetMs)) {
    await session.query(
      `UPDATE check_states SET position_at = NULL, position_started_at = NULL, by_location = $1
       WHERE account_id = $2 AND check_id = $3`,
      [locationsAt(row, readAt), row.account_id, row.check_id],
    );
  }
}

/** A smaller difference than a change of the clock is one between two processes, and not a lap. */
async function bringSchedulesBack(session: Session, now: GoingTime): Promise<void> {
  const rows = await session.query<SchedulesTable>(
    `SELECT * FROM schedules WHERE next_due_at > $1 + interval_ms AND next_due_at < ${inStep}
     ORDER BY account_id, check_id FOR NO KEY UPDATE`,
    [now() + clockSetMs],
  );
  const readAt = now();
  const ahead = rows.filter(({ next_due_at, interval_ms }) => next_due_at > readAt + clockSetMs + interval_ms);
  const rounds = await bringRoundsBack(session, now);
  if (ahead.length + rounds === 0) return;
  for (const row of ahead) {
    await session.query('UPDATE schedules SET next_due_at = $1 WHERE account_id = $2 AND check_id = $3', [
      nextSlot(readAt, row.interval_ms, row.phase_ms),
      row.account_id,
      row.check_id,
    ]);
  }
  await session.query(
    `INSERT INTO installation (key, value) VALUES ('lap', '1')
     ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(installation.value AS INTEGER) + 1 AS TEXT)`,
  );
}

/** @returns number of rows in the future of the time at which they were processed */
async function bringRoundsBack(session: Session, now: GoingTime): Promise<number> {
  const rows = await session.query<ScheduleRoundsTable>(
    'SELECT * FROM schedule_rounds ORDER BY interval_ms FOR NO KEY UPDATE',
  );
  const readAt = now();
  const ahead = rows.map((row) => broughtBack(row, readAt, clockSetMs)).filter((row) => row !== null);
  sendRounds(session, ahead);
  return ahead.length;
}
