// Hours of an account's checks that are rolled up anew where it arrives: those that the two installations may differ about.
import { hourMs, hourOf } from '#domain/roll-up.ts';
import { readProgress } from '../roll-up-progress.ts';
import { marksTable, someAtATime } from './account-tables.ts';
import { holdArriving } from './copy-history.ts';
import { CopyError } from './copy-installation.ts';
import { batchesOf } from './copy-table.ts';
import type { AccountMoving } from './moving.ts';
import { readFact, type Side, tableOf, type Writing } from './side.ts';

/** Hours before the source's progress that are rolled up anew: one may have been under way during the copy. */
const hoursAnew = 2;
/** A source that is further behind has to catch up first: {@link requireRolledUp}. */
const hoursAnewMost = 48;

/**
 * Refuses an account of which results older than what is rolled up anew are not rolled up: in the target, where later ones are, nothing
 * would tell that their hours lack in figures and totals. Throws CopyError.
 */
export async function requireRolledUp(from: Side, accountId: Uint8Array): Promise<void> {
  const now = await from.now();
  const upTo = (await rolledUpTo(from)) ?? (await oldestResultAt(from, accountId)) ?? now;
  const hoursBehind = Math.floor((hourOf(now) - upTo) / hourMs);
  if (hoursBehind <= hoursAnewMost) return;
  throw new CopyError(
    `${from.shown} is ${hoursBehind} hours behind with roll-ups, and the account's figures would lack them: its role upkeep has to catch up` +
      ` first (tocsin_roll_up_delay_seconds below ${hoursAnewMost} hours)`,
  );
}

/** Epoch ms; null = the account has none. */
async function oldestResultAt(from: Side, accountId: Uint8Array): Promise<number | null> {
  const [row] = await from.query('SELECT min(started_at) AS at FROM results WHERE account_id = ?', [accountId]);
  return row === undefined || row['at'] === null ? null : hourOf(Number(row['at']));
}

/** Before which hour a side has rolled everything up, epoch ms; null = it never has. */
export async function rolledUpTo(side: Side): Promise<number | null> {
  return readProgress(await readFact(side, 'rolled-up'))?.hourAt ?? null;
}

/** Marks them, some in each transaction; the checks and all their results have to be there. */
export async function markHours(moving: AccountMoving, checkIds: readonly Uint8Array[]): Promise<void> {
  const { from, to, leaving } = moving;
  const { accountId } = leaving;
  const now = await to.now();
  const earliest = hourOf(now) - hoursAnewMost * hourMs;
  const first = Math.max(earliest, ((await rolledUpTo(from)) ?? earliest) - hoursAnew * hourMs);
  const mark = (hours: readonly number[], some: readonly Uint8Array[]): Promise<void> =>
    to.write(async (writing) => {
      await holdArriving(moving, writing);
      for (const startAt of hours) await markHour(writing, accountId, some, startAt);
    });
  const hours: number[] = [];
  for (let startAt = first; startAt <= hourOf(now); startAt += hourMs) hours.push(startAt);
  for (const some of someAtATime(checkIds)) {
    // Hundreds of rows in a transaction, as everywhere.
    for (let at = 0; at < hours.length; at += 3) await mark(hours.slice(at, at + 3), some);
  }
  for await (const rows of batchesOf(from, tableOf(from, marksTable), { equal: { account_id: accountId } })) {
    const byHour = Map.groupBy(rows, (row) => Number(row['start_at']));
    for (const [startAt, marked] of byHour) {
      for (const some of someAtATime(marked.map((row) => row['check_id'] as Uint8Array))) await mark([startAt], some);
    }
  }
}

/** Marks an hour of some checks. @param startAt epoch ms */
export async function markHour(
  writing: Writing,
  accountId: Uint8Array,
  checkIds: readonly Uint8Array[],
  startAt: number,
): Promise<void> {
  await writing.change(
    `INSERT INTO late_hours (account_id, check_id, start_at, touched)
     SELECT account_id, id, ${startAt}, 1 FROM checks
     WHERE account_id = ? AND id IN (${checkIds.map(() => '?').join(', ')})
     ON CONFLICT (account_id, check_id, start_at) DO UPDATE SET touched = late_hours.touched + 1`,
    [accountId, ...checkIds],
  );
}
