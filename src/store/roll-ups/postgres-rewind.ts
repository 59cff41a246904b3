// Roll-ups after a jump of the clock, in PostgreSQL.
import type { Session } from '../engines/postgres/session.ts';
import { begunEarlier, readProgress, rewound, writtenProgress } from './roll-up-progress.ts';

/** Advisory lock of rolling up; an arbitrary constant. */
export const rollUpLock = 0x746f_6373;

/** When the clock was set back: repeated hours are rolled up again, including earlier results. */
export async function rewindRollUps(session: Session, now: number): Promise<void> {
  // No tick is in progress that could consider its hours done.
  await session.query(`SELECT pg_advisory_xact_lock(${rollUpLock})`);
  const [kept] = await session.query<{ value: string }>(`SELECT value FROM installation WHERE key = 'rolled-up'`);
  const progress =
    kept === undefined ? begunEarlier(await firstCheckAt(session), now) : rewound(readProgress(kept.value), now);
  if (progress === null) return;
  await session.query(
    `INSERT INTO installation VALUES ('rolled-up', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [writtenProgress(progress)],
  );
}

/** When the oldest check was created, epoch ms. */
export async function firstCheckAt(session: Session): Promise<number | null> {
  const [oldest] = await session.query<{ at: number | null }>('SELECT min(created_at) AS at FROM checks');
  return oldest?.at ?? null;
}
