// Deletes results, alerts and deliveries after their retention, in slices; results only once they are rolled up.
import type { Clock } from '#lib/clock.ts';

export interface RemoveOldRowsOptions {
  readonly store: {
    sweep(
      before: number,
      now: number,
      resultsBefore: number,
    ): Promise<{ readonly removed: number; readonly isThrough: boolean }>;
  };
  /** Results that are rolled up and can be deleted. */
  readonly rollUps: { release(before: number): Promise<number> };
  /** Options of trigger calls whose runs have ended. */
  readonly triggerCalls: { removeOld(now: number): Promise<number> };
  /** Check sessions after their retention. */
  readonly checkSessions: { removeOld(now: number): Promise<number> };
  /** Changes of status pages that people were notified of long ago. */
  readonly pageChanges: { removeOld(now: number): Promise<number> };
  /** Files of scripts that no check uses. */
  readonly scriptFiles: { removeUnused(now: number): Promise<number> };
  /** Subscribers of status pages that did not confirm. */
  readonly subscribers: { removeExpired(now: number): Promise<number> };
  /** Rows whose check or channel was deleted. */
  readonly orphans: { removeSome(limit: number): Promise<number> };
  /** Entries of the audit log before an instant. */
  readonly auditLog: { removeSome(before: number): Promise<number> };
  /** Counters that are added up. */
  readonly ledger: { removeOld(): Promise<number> };
  readonly clock: Clock;
  readonly auditDays: number;
  readonly retentionDays: number;
  readonly onRemoved?: (rows: number) => void;
}

/** Pause between two slices, so that monitoring has priority, ms. */
const pauseMs = 50;
const rowsPerSlice = 400;
const betweenSweepsMs = 10 * 60_000;
const dayMs = 86_400_000;

/** One tick: a slice. Returns the delay until the next one, ms. */
export function createRemoveOldRows(options: RemoveOldRowsOptions): () => Promise<number> {
  const { store, rollUps, orphans, triggerCalls, checkSessions, pageChanges, scriptFiles, auditLog, ledger } = options;
  const { clock, auditDays, retentionDays } = options;
  return async () => {
    const now = clock.now();
    const removedOrphans =
      (await orphans.removeSome(rowsPerSlice)) +
      (await triggerCalls.removeOld(now)) +
      (await checkSessions.removeOld(now)) +
      (await pageChanges.removeOld(now)) +
      (await scriptFiles.removeUnused(now)) +
      (await options.subscribers.removeExpired(now)) +
      (await ledger.removeOld()) +
      (await auditLog.removeSome(now - auditDays * dayMs));
    const before = now - retentionDays * dayMs;
    const { removed, isThrough } = await store.sweep(before, now, await rollUps.release(before));
    if (removed + removedOrphans > 0) options.onRemoved?.(removed + removedOrphans);
    return isThrough && removedOrphans === 0 ? betweenSweepsMs : pauseMs;
  };
}
