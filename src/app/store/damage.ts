// Remembers damage of the database that is found while the service runs.
import type { Notice } from '#actions/operating/notices.ts';
import type { Clock } from '#lib/clock.ts';
import type { Log } from '#lib/log.ts';
import { commandName } from '#lib/package-files.ts';
import { damageIn } from '#store/base/damage.ts';

/** The known damage of the database. */
export type Damage = ReturnType<typeof createDamage>;

/** @param isFile whether the database is a file that a backup command of Tocsin restores */
export function createDamage(isFile: boolean, clock: Clock, log: Log) {
  let found: { readonly since: number; readonly finding: string } | null = null;
  const remedy = isFile
    ? `Stop Tocsin and restore the newest backup with "${commandName} restore <file>".`
    : 'Restore the newest backup with pg_restore. See docs/backup.md#postgresql.';
  const note = (finding: string): void => {
    if (found !== null) return;
    found = { since: clock.now(), finding };
    log.error('store.damaged', { error: finding, hint: remedy });
  };
  const sentence = (finding: string): string => `The database is damaged: ${finding}`;
  return {
    /** Records damage that a check found. */
    note,
    /** Records the damage that an error reports, if it does. */
    noteError: (error: unknown): void => {
      const finding = damageIn(error);
      if (finding !== null) note(finding);
    },
    notices: (): readonly Notice[] =>
      found === null
        ? []
        : [
            {
              id: 'database-damaged',
              kind: 'database-damaged',
              since: found.since,
              subject: 'Tocsin',
              message: `${sentence(found.finding)}. Results and alerts may be lost.`,
              action: remedy,
            },
          ],
    /** For readiness; empty = none is known. */
    faults: (): readonly string[] => (found === null ? [] : [sentence(found.finding)]),
  };
}
