// Roll-ups after a jump of the clock, on both engines.
import { query, type Statements } from '../engines/statements.ts';
import { begunEarlier, readProgress, rewound, writtenProgress } from './roll-up-progress.ts';

/**
 * When the clock was set back: repeated hours are rolled up again, including earlier results. No roll-up may be in
 * progress, because it could consider its hours done.
 * @param now epoch ms
 */
export function* rewindRollUps(now: number): Statements<void> {
  const [kept] = yield* query<{ value: string }>(`SELECT value FROM installation WHERE key = 'rolled-up'`);
  const progress =
    kept === undefined ? begunEarlier(yield* firstCheckAt(), now) : rewound(readProgress(kept.value), now);
  if (progress === null) return;
  yield* query(
    `INSERT INTO installation (key, value) VALUES ('rolled-up', $1) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [writtenProgress(progress)],
  );
}

/** When the oldest check was created, epoch ms. */
function* firstCheckAt(): Statements<number | null> {
  const [oldest] = yield* query<{ at: number | null }>('SELECT min(created_at) AS at FROM checks');
  return oldest?.at ?? null;
}
