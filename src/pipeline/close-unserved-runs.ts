// Ends runs that wait at a location without a runner, so that retries and triggered runs do not wait forever
// (docs/decisions/0098).
import type { CheckContext, EndedAttempt } from '#domain/results/recording.ts';
import { bareFinding } from '#domain/results/result.ts';
import type { Run, RunClaim } from '#domain/checks/run.ts';
import { maintenanceOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import type { Clock } from '#lib/clock.ts';

interface WaitingRunStore {
  /** Since when runs have been waiting, by location; epoch ms, null = none. */
  runQueue(now: number): Promise<readonly { readonly location: string; readonly waitingSince: number | null }[]>;
  claimRuns(
    claim: RunClaim,
  ): Promise<{ readonly runs: readonly { readonly run: Run; readonly context: CheckContext | null }[] }>;
}

export interface CloseUnservedRunsOptions {
  readonly store: WaitingRunStore;
  readonly clock: Clock;
  /** Monotonic clock, ms. */
  readonly steadyNow: () => number;
  readonly owner: string;
  /** Codes of the available run locations; null = currently unknown. */
  readonly locations: () => readonly string[] | null;
  /** Records the result of a run; resolves once it is durable, with null if it was dropped. */
  readonly record: (attempt: EndedAttempt) => Promise<{ readonly isRecorded: boolean } | null>;
  /** Called after runs were closed. */
  readonly onClosed: (location: string, runs: number) => void;
}

/** How long a location must be unavailable and its oldest run due before its due runs are closed, ms. */
export const patienceMs = 10 * 60_000;
const pauseMs = 10_000;
/** Pause while there is more to close, ms. */
const soonMs = 1000;
/** A longer gap between two ticks resets the observation, ms. */
const gapMs = 3 * pauseMs;
const leaseMs = 30_000;
/** As many as a large installation plans per second, so that they do not pile up. */
const runsPerTick = 1000;

/** One tick of the step. Returns the delay until the next one, ms. */
export function createCloseUnservedRuns(options: CloseUnservedRunsOptions): () => Promise<number> {
  const { store, clock, steadyNow, owner, locations, record, onClosed } = options;
  /** Since when each location has been unavailable at every tick, by the monotonic clock. */
  const unservedSince = new Map<string, number>();
  let readAt = Number.NEGATIVE_INFINITY;
  let inProgress = 0;

  const close = async (location: string, runs: readonly EndedAttempt[]): Promise<void> => {
    inProgress += runs.length;
    const recorded = await Promise.all(runs.map((each) => record(each).catch(() => null)));
    inProgress -= runs.length;
    const closed = recorded.filter((each) => each?.isRecorded === true).length;
    if (closed > 0) onClosed(location, closed);
  };
  /** Updates the available locations; false = unknown. */
  const read = (queue: readonly { readonly location: string }[]): boolean => {
    const served = locations();
    const steady = steadyNow();
    if (served === null || steady - readAt > gapMs) unservedSince.clear();
    if (served === null) return false;
    readAt = steady;
    const unserved = new Set(queue.map(({ location }) => location).filter((location) => !served.includes(location)));
    for (const location of unservedSince.keys()) if (!unserved.has(location)) unservedSince.delete(location);
    for (const location of unserved) if (!unservedSince.has(location)) unservedSince.set(location, steady);
    return true;
  };
  return async () => {
    const now = clock.now();
    const queue = await store.runQueue(now);
    // Recording is awaited outside the tick.
    if (!read(queue)) return pauseMs;
    if (inProgress > 0) return soonMs;
    for (const { location, waitingSince } of queue) {
      const unservedMs = steadyNow() - (unservedSince.get(location) ?? steadyNow());
      if (Math.min(unservedMs, now - (waitingSince ?? now)) < patienceMs) continue;
      const { runs } = await store.claimRuns({ location, owner, now, leaseMs, max: runsPerTick });
      if (runs.length === 0) continue;
      const served = locations() ?? [];
      const ended = runs.flatMap(({ run, context }) => (context === null ? [] : [endOf(run, context, served, now)]));
      void close(location, ended);
      return soonMs;
    }
    return pauseMs;
  };
}

/** A slot that was not started is missed. A run that started, failed or was triggered is unknown. */
function endOf(run: Run, context: CheckContext, served: readonly string[], now: number): EndedAttempt {
  const rules = stateRulesOf(context, served, maintenanceOf(context, now));
  // A claim sets the start time if there was none.
  const isBegun = run.firstStartedAt !== null && run.firstStartedAt < now;
  const what = run.attempt > 1 ? 'not retried' : isBegun ? 'started without a result' : 'not run';
  const message = `${what}: no process runs checks at location ${run.location}`;
  const finding = bareFinding(now, { verdict: 'unknown', reason: 'downtime', message });
  const isMissed = run.attempt === 1 && !isBegun && run.slotAt !== null;
  return { run, context, finding, outcome: isMissed ? 'missed' : 'unknown', retry: null, rules };
}
