// Builds the step that closes runs in locations without a process.
import { createCloseUnservedRuns } from '#pipeline/close-unserved-runs.ts';
import type { RecordResults } from '#pipeline/record-results.ts';
import type { FollowedClock } from '#lib/followed-clock.ts';
import type { Log } from '#lib/log.ts';
import type { Store } from '#store/store.ts';
import { type OwnProcess, servedCodes } from '../process.ts';

/** Its dependencies. */
interface UnservedDeps {
  readonly store: Store;
  readonly clock: FollowedClock;
  readonly ownProcess: OwnProcess;
  /** Owner of this process's leases. */
  readonly owner: string;
  readonly log: Log;
}

/** A tick of the step, whose results are recorded like all others. */
export function composeCloseUnservedRuns(
  { store, clock, ownProcess, owner, log }: UnservedDeps,
  records: RecordResults,
): () => Promise<number> {
  const served = servedCodes(ownProcess);
  return createCloseUnservedRuns({
    store: { runQueue: (now) => store.figures.runQueue(now), claimRuns: (claim) => store.path.claimRuns(claim) },
    clock,
    steadyNow: () => performance.now(),
    owner,
    // A process that cannot publish its own heartbeat may have missed those of others.
    locations: () => (ownProcess.known().some(({ id }) => id === owner) ? served() : null),
    record: (attempt) => records.record(attempt),
    onClosed: (location, closed) => log.warn('runs.unserved', { location, closed }),
  });
}
