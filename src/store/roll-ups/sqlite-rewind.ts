// Roll-ups after a jump of the clock, in SQLite.
import type { Connection } from '../engines/sqlite/connection.ts';
import { begunEarlier, readProgress, rewound, writtenProgress } from './roll-up-progress.ts';

/** When the clock was set back: repeated hours are rolled up again, including earlier results. */
export function rewindRollUps(connection: Connection, now: number): void {
  const kept = connection.prepare(`SELECT value FROM installation WHERE key = 'rolled-up'`).get();
  const progress =
    kept === undefined
      ? begunEarlier(firstCheckAt(connection), now)
      : rewound(readProgress(String(kept['value'])), now);
  if (progress === null) return;
  connection
    .prepare(`INSERT INTO installation VALUES ('rolled-up', ?1) ON CONFLICT (key) DO UPDATE SET value = ?1`)
    .run(writtenProgress(progress));
}

/** When the oldest check was created, epoch ms. */
export function firstCheckAt(connection: Connection): number | null {
  const at = connection.prepare('SELECT min(created_at) AS at FROM checks').get()?.['at'] ?? null;
  return at === null ? null : Number(at);
}
