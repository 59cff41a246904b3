// When the clock is set, everything that waits in PostgreSQL keeps its distance in real time (docs/decisions/0016).
import { askedWaitMostMs, retryPausesMs } from '#domain/alerts/delivery.ts';
import { nextSlot } from '#domain/checks/slot.ts';
import { clockSetMs } from '#lib/followed-clock.ts';
import { locationsAt } from './record/check-state-rows.ts';
import { broughtBack, inStep } from './schedule/schedule-rounds.ts';
import type { CheckStatesTable } from '../base/tables/schema.ts';
import type { ScheduleRoundsTable, SchedulesTable } from '../base/tables/schedule-tables.ts';
import { bringHeartbeatsBack, moveHeartbeatsWithClock } from './heartbeats/postgres-heartbeats.ts';
import { rewindRollUps } from '../history/postgres-roll-ups.ts';
import { bringForward } from './deliveries/postgres-shared-channels.ts';
import { sendRounds } from './schedule/postgres-schedule-rounds.ts';
import type { Session } from '../engines/postgres/session.ts';

/** Setting the server's clock is seen by every process within this time of each other, ms. */
const sameSettingMs = 60_000;
/** And with this difference in how far it went, ms. */
const sameDistanceMs = 1500;

/**
 * Time that goes on while a transaction waits for others, epoch ms: what they wrote meanwhile is not ahead of it.
 */
export type GoingTime = () => number;

/**
 * The same, once, of all the processes that see the server's clock set: the first one does it, and leaves a note. The others
 * wrote by the old time until now: what they put further ahead than it can be (retries, deliveries, pings, states, schedules)
 * comes back with each of them.
 */
export async function moveOnceWithClock(session: Session, byMs: number, now: GoingTime): Promise<void> {
  await session.query(`INSERT INTO installation (key, value) VALUES ('clock-set', '') ON CONFLICT DO NOTHING`);
  const [note] = await session.query<{ value: string }>(
    `SELECT value FROM installation WHERE key = 'clock-set' FOR UPDATE`,
  );
  const [at = Number.NaN, distance = Number.NaN] = (note?.value ?? '').split('/').map(Number);
  if (Math.abs(now() - at) < sameSettingMs && Math.abs(byMs - distance) < sameDistanceMs) {
    if (byMs < 0) await bringBackWhatCameLater(session, byMs, now);
    return;
  }
  await session.query(`UPDATE installation SET value = $1 WHERE key = 'clock-set'`, [`${now()}/${byMs}`]);
  await moveWithClock(session, byMs, now);
}

/** Further ahead than any retry of a run (`maxDurationSeconds`) or lease, ms. */
const aheadMost = 11 * 60_000;

async function bringBackWhatCameLater(session: Session, byMs: number, now: GoingTime): Promise<void> {
  await session.query(
    `UPDATE runs SET due_at = CASE WHEN due_at > $1 THEN due_at + $2 ELSE due_at END, available_at = available_at + $2
     WHERE available_at > $1`,
    [now() + aheadMost, byMs],
  );
  await takeOver(session, now);
}

/**
 * Moves due times and leases of runs and deliveries by `byMs`, and the instants since which a check is not passing;
 * brings back what lies further ahead than it can. Instants are epoch ms.
 */
export async function moveWithClock(session: Session, byMs: number, now: GoingTime): Promise<void> {
  await session.query(
    `UPDATE runs SET due_at = due_at + $1, available_at = available_at + $1, first_started_at = first_started_at + $1`,
    [byMs],
  );
  await session.query('UPDATE deliveries SET next_attempt_at = next_attempt_at + $1 WHERE status = 0', [byMs]);
  await session.query('UPDATE alert_channels SET asked_until = asked_until + $1 WHERE asked_until IS NOT NULL', [byMs]);
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
 * What a process finds at its start: times that lie further ahead than they can come back. Leases stay: who holds them
 * may live, and if not they end by themselves; those that have ended are due before all that is newer. Other processes work
 * meanwhile: what they wrote is as new as the moment in which it is read.
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
  await session.query('UPDATE alert_channels SET asked_until = NULL WHERE asked_until > $1', [now() + askedWaitMostMs]);
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

/** Less than a setting of the clock is the difference between two processes, and no lap. */
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

/** @returns how many stood ahead of the time at which they were reached */
async function bringRoundsBack(session: Session, now: GoingTime): Promise<number> {
  const rows = await session.query<ScheduleRoundsTable>(
    'SELECT * FROM schedule_rounds ORDER BY interval_ms FOR NO KEY UPDATE',
  );
  const readAt = now();
  const ahead = rows.map((row) => broughtBack(row, readAt, clockSetMs)).filter((row) => row !== null);
  sendRounds(session, ahead);
  return ahead.length;
}
