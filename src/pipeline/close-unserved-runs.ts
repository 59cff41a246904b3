// Ends runs that wait at a location without a runner, so that retries and triggered runs do not wait without end
// (docs/decisions/0098).
import type { CheckContext, EndedAttempt } from '#domain/results/recording.ts';
import { bareFinding } from '#domain/results/result.ts';
import type { Run } from '#domain/checks/run.ts';
import { maintenanceOf, stateRulesOf } from '#domain/checks/state-rules.ts';
import type { Clock } from '#lib/clock.ts';

/** What this step needs of the store. */
interface WaitingRunStore {
  /** Since when runs wait, by location; epoch ms, null = none does. */
  runQueue(now: number): Promise<readonly { readonly location: string; readonly waitingSince: number | null }[]>;
  claimRuns(claim: {
    readonly location: string;
    readonly owner: string;
    readonly now: number;
    readonly leaseMs: number;
    readonly most: number;
  }): Promise<{ readonly runs: readonly { readonly run: Run; readonly context: CheckContext | null }[] }>;
}

/** What the step is joined with. */
export interface CloseUnservedRunsOptions {
  readonly store: WaitingRunStore;
  readonly clock: Clock;
  /** A clock that nobody sets, ms. */
  readonly steadyNow: () => number;
  readonly owner: string;
  /** Codes of the run locations that are served; null = this process does not know at this moment. */
  readonly locations: () => readonly string[] | null;
  /** Takes what became of a run; resolves when it is recorded, with null when it was not. */
  readonly record: (attempt: EndedAttempt) => Promise<{ readonly isRecorded: boolean } | null>;
  /** Told of runs that were closed. */
  readonly onClosed: (location: string, runs: number) => void;
}

/** For so long nobody may have served a location, and the oldest run there have been due, before all that is due is closed, ms. */
export const patienceMs = 10 * 60_000;
const pauseMs = 10_000;
/** What is closed at once is bounded: the next look is for the rest. */
const soonMs = 1000;
/** Between two looks that are further apart somebody may have been there. */
const gapMs = 3 * pauseMs;
const leaseMs = 30_000;
const runsPerTurn = 200;

/** One turn of the step, answering in how many ms the next is wanted. */
export function createCloseUnservedRuns(options: CloseUnservedRunsOptions): () => Promise<number> {
  const { store, clock, steadyNow, owner, locations, record, onClosed } = options;
  /** Since when this process has seen at each look that nobody serves a location, by the steady clock. */
  const unservedSince = new Map<string, number>();
  let lookedAt = Number.NEGATIVE_INFINITY;
  let underWay = 0;

  const close = async (location: string, runs: readonly EndedAttempt[]): Promise<void> => {
    underWay += runs.length;
    const recorded = await Promise.all(runs.map((each) => record(each).catch(() => null)));
    underWay -= runs.length;
    const closed = recorded.filter((each) => each?.isRecorded === true).length;
    if (closed > 0) onClosed(location, closed);
  };
  /** Notes who is served; false = it is not known. */
  const look = (queue: readonly { readonly location: string }[]): boolean => {
    const served = locations();
    const steady = steadyNow();
    if (served === null || steady - lookedAt > gapMs) unservedSince.clear();
    if (served === null) return false;
    lookedAt = steady;
    const unserved = new Set(queue.map(({ location }) => location).filter((location) => !served.includes(location)));
    for (const location of unservedSince.keys()) if (!unserved.has(location)) unservedSince.delete(location);
    for (const location of unserved) if (!unservedSince.has(location)) unservedSince.set(location, steady);
    return true;
  };
  return async () => {
    const now = clock.now();
    const queue = await store.runQueue(now);
    // What could not be recorded yet is waited for outside of the turn.
    if (!look(queue) || underWay > 0) return pauseMs;
    for (const { location, waitingSince } of queue) {
      const unservedMs = steadyNow() - (unservedSince.get(location) ?? steadyNow());
      if (Math.min(unservedMs, now - (waitingSince ?? now)) < patienceMs) continue;
      const { runs } = await store.claimRuns({ location, owner, now, leaseMs, most: runsPerTurn });
      if (runs.length === 0) continue;
      const served = locations() ?? [];
      const ended = runs.flatMap(({ run, context }) => (context === null ? [] : [endOf(run, context, served, now)]));
      void close(location, ended);
      return soonMs;
    }
    return pauseMs;
  };
}

/** A slot that nobody began is missed; what was begun, failed or asked for is not known any more. */
function endOf(run: Run, context: CheckContext, served: readonly string[], now: number): EndedAttempt {
  const rules = stateRulesOf(context, served, maintenanceOf(context, now));
  // The claim notes a start where there was none.
  const isBegun = run.firstStartedAt !== null && run.firstStartedAt < now;
  const what = run.attempt > 1 ? 'not retried' : isBegun ? 'started without a result' : 'not run';
  const message = `${what}: no process runs checks at location ${run.location}`;
  const finding = bareFinding(now, { verdict: 'unknown', reason: 'downtime', message });
  const isMissed = run.attempt === 1 && !isBegun && run.slotAt !== null;
  return { run, context, finding, outcome: isMissed ? 'missed' : 'unknown', retry: null, rules };
}
