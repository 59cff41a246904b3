// Runs that wait at a location where nobody runs checks any more come to an end that says so: without it a retry, or a run that
// was asked for, would wait for ever, and whoever asked with it (docs/decisions/0107).
import type { CheckContext, EndedAttempt } from '#domain/recording.ts';
import { bareFinding } from '#domain/result.ts';
import type { Run } from '#domain/run.ts';
import { maintenanceOf, stateRulesOf } from '#domain/state-rules.ts';
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
  readonly owner: string;
  /** Codes of the run locations that are served. */
  readonly locations: () => readonly string[];
  /** Takes what became of a run; resolves when it is recorded. */
  readonly record: (attempt: EndedAttempt) => Promise<unknown>;
  /** Told of runs that were closed. */
  readonly onClosed: (location: string, runs: number) => void;
}

/** For so long nobody may have served a location, and a run may have waited there, before it is closed, ms. */
export const patienceMs = 10 * 60_000;
const pauseMs = 10_000;
const leaseMs = 30_000;
const runsPerTurn = 200;

/** One turn of the step, answering in how many ms the next is wanted. */
export function createCloseUnservedRuns(options: CloseUnservedRunsOptions): () => Promise<number> {
  const { store, clock, owner, locations, record, onClosed } = options;
  /** When this process first saw that nobody serves a location, epoch ms. */
  const unservedSince = new Map<string, number>();
  return async () => {
    const now = clock.now();
    const queue = await store.runQueue(now);
    const served = locations();
    const unserved = new Set(queue.map(({ location }) => location).filter((location) => !served.includes(location)));
    for (const location of unservedSince.keys()) if (!unserved.has(location)) unservedSince.delete(location);
    for (const location of unserved) {
      // The clock may have been set back since.
      unservedSince.set(location, Math.min(unservedSince.get(location) ?? now, now));
    }
    let isThrough = true;
    for (const { location, waitingSince } of queue) {
      const since = Math.max(unservedSince.get(location) ?? now, waitingSince ?? now);
      if (now - since < patienceMs) continue;
      const { runs } = await store.claimRuns({ location, owner, now, leaseMs, most: runsPerTurn });
      isThrough &&= runs.length < runsPerTurn;
      const ended = runs.flatMap(({ run, context }) => (context === null ? [] : [endOf(run, context, served, now)]));
      await Promise.all(ended.map(record));
      if (ended.length > 0) onClosed(location, ended.length);
    }
    return isThrough ? pauseMs : 0;
  };
}

/** One that was never begun is missed; what failed and was to be tried again is not known any more. */
function endOf(run: Run, context: CheckContext, served: readonly string[], now: number): EndedAttempt {
  const rules = stateRulesOf(context, served, maintenanceOf(context, now));
  const isFirst = run.attempt === 1;
  const what = isFirst ? 'not run' : 'not tried again';
  const message = `${what}: nobody runs checks at the location ${run.location} any more`;
  const finding = bareFinding(now, { verdict: 'unknown', reason: 'downtime', message });
  return { run, context, finding, outcome: isFirst ? 'missed' : 'unknown', retry: null, rules };
}
