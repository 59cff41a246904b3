// Jumps of a server's clock in PostgreSQL: several processes notice each, and one of them shifts what waits
// (docs/decisions/0016).
import { bringForward } from './deliveries/postgres-channels.ts';
import { bringBack, type ClockEngine, type GoingTime, moveWithClock } from './clock-jump.ts';
import { rollUpLock } from '../engines/postgres/schema.ts';
import type { Session } from '../engines/postgres/session.ts';
import { runStatements } from '../engines/postgres/statements.ts';

/** All processes notice a change of the server's clock within this time of each other, ms. */
const sameSettingMs = 60_000;
/** And measure its size within this difference, ms. */
const sameDistanceMs = 1500;

const engine: ClockEngine = {
  locking: 'FOR NO KEY UPDATE',
  runTimes: ['due_at', 'available_at', 'first_started_at'],
  rollUpLock: `SELECT pg_advisory_xact_lock(${rollUpLock})`,
};

/**
 * Shifts what waits, once for all processes that notice a change of the server's clock: the first one does it and
 * records that. The others used the old time until now: each moves back due times (retries, deliveries, pings, states,
 * schedules) that are further in the future than possible.
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
  // A server's clock does not stop with this machine.
  await runStatements(session, moveWithClock(engine, byMs, now, { ms: 0, after: now() }));
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
 * At the start of a process: moves back times that are further in the future than possible. Leases are kept: their
 * owners may be alive, and otherwise they expire; expired ones are due before everything newer.
 */
export async function takeOver(session: Session, now: GoingTime): Promise<void> {
  await runStatements(session, bringBack(engine, now));
  await bringForward(session, { owner: '', now: now() }, []);
}
