// Joins the step that closes runs at locations which nobody serves any more.
import { createCloseUnservedRuns } from '#pipeline/close-unserved-runs.ts';
import type { RecordResults } from '#pipeline/record-results.ts';
import type { FollowedClock } from '#lib/followed-clock.ts';
import type { Log } from '#lib/log.ts';
import type { Store } from '#store/store.ts';
import { type OwnProcess, servedCodes } from './process.ts';

/** What the step is joined with. */
interface UnservedMeans {
  readonly store: Store;
  readonly clock: FollowedClock;
  readonly ownProcess: OwnProcess;
  /** Whose leases are this process's. */
  readonly owner: string;
  readonly log: Log;
}

/** The turn of the step, whose findings go the way of all. */
export function joinCloseUnservedRuns(
  { store, clock, ownProcess, owner, log }: UnservedMeans,
  records: RecordResults,
): () => Promise<number> {
  const served = servedCodes(ownProcess);
  return createCloseUnservedRuns({
    store: { runQueue: (now) => store.figures.runQueue(now), claimRuns: (claim) => store.path.claimRuns(claim) },
    clock,
    steadyNow: () => performance.now(),
    owner,
    // Who could not tell the others of itself has not heard of them either.
    locations: () => (ownProcess.known().some(({ id }) => id === owner) ? served() : null),
    record: (attempt) => records.record(attempt),
    onClosed: (location, closed) => log.warn('runs.unserved', { location, closed }),
  });
}
