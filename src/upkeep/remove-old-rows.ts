// Beside the path: results, alerts and deliveries older than the retention go, slice by slice; results not
// before they are rolled up.
import type { Clock } from '#lib/clock.ts';

/** What the sweep is joined with. */
export interface RemoveOldRowsOptions {
  readonly store: {
    sweep(
      before: number,
      now: number,
      resultsBefore: number,
    ): Promise<{ readonly removed: number; readonly isThrough: boolean }>;
  };
  /** Which results are rolled up, and may go. */
  readonly rollUps: { release(before: number): Promise<number> };
  /** Options of trigger calls whose runs have ended. */
  readonly triggerCalls: { removeOld(now: number): Promise<number> };
  /** Rows whose check or channel is gone. */
  readonly leftovers: { removeSome(limit: number): Promise<number> };
  readonly clock: Clock;
  readonly retentionDays: number;
  readonly onRemoved?: (rows: number) => void;
}

/** Between two slices, so that the path always comes first, ms. */
const pauseMs = 50;
const rowsPerSlice = 400;
const betweenSweepsMs = 10 * 60_000;
const dayMs = 86_400_000;

/** One turn: a slice. Answers in how many ms the next is wanted. */
export function createRemoveOldRows(options: RemoveOldRowsOptions): () => Promise<number> {
  const { store, rollUps, leftovers, triggerCalls, clock, retentionDays } = options;
  return async () => {
    const now = clock.now();
    const orphans = (await leftovers.removeSome(rowsPerSlice)) + (await triggerCalls.removeOld(now));
    const before = now - retentionDays * dayMs;
    const { removed, isThrough } = await store.sweep(before, now, await rollUps.release(before));
    if (removed + orphans > 0) options.onRemoved?.(removed + orphans);
    return isThrough && orphans === 0 ? betweenSweepsMs : pauseMs;
  };
}
