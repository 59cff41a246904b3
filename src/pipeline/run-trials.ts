// Probes trials of checks and keeps what they found: no result, no state and no alert (docs/decisions/0142).
import type { CheckTrial } from '#domain/results/check-trial.ts';
import type { OnProgress, ProbeInput, ProbeProgress } from '#domain/checks/probe.ts';
import { bareFinding, type Finding } from '#domain/results/result.ts';
import type { Clock } from '#lib/clock.ts';

/** Store methods of this step. */
interface TrialStore<Trial extends CheckTrial> {
  claim(
    lease: { readonly location: string; readonly owner: string; readonly now: number; readonly leaseMs: number },
    max: number,
  ): Promise<readonly Trial[]>;
  /** Returns the IDs of those that are not this owner's any more. */
  renew(
    trials: readonly Trial[],
    lease: { readonly location: string; readonly owner: string; readonly now: number; readonly leaseMs: number },
  ): Promise<readonly string[]>;
  /** Stores what a running trial reports; absent = nobody reads it. */
  addSlice?(trial: Trial, owner: string, slice: ProbeProgress & { readonly isFirst: boolean }): Promise<void>;
  end(trial: Trial, owner: string, finding: Finding): Promise<void>;
  /** Removes trials that are no longer needed. */
  removeOld(now: number): Promise<unknown>;
}

/** Dependencies of the step. */
export interface RunTrialsOptions<Trial extends CheckTrial> {
  readonly store: TrialStore<Trial>;
  readonly clock: Clock;
  readonly owner: string;
  readonly location: string;
  /** The definition with everything that it inherits. */
  readonly inputOf: (trial: Trial) => Promise<ProbeInput>;
  /** Probes a target once, as for a run, waiting for a place among the runs if its kind has few; never rejects. */
  readonly probe: (input: ProbeInput, signal: AbortSignal, onProgress?: OnProgress) => Promise<Finding>;
  /** Wakes this step when there is room again. */
  readonly wake: () => void;
  readonly onError: (trial: Trial, error: unknown) => void;
}

/** The step: its tick, and its shutdown. */
export interface RunTrials {
  tick(): Promise<number>;
  /** Waits for trials in progress up to `graceMs`; the rest is repeated by another process once its lease ended. */
  stop(graceMs: number): Promise<void>;
}

interface InProgress<Trial extends CheckTrial> {
  readonly trial: Trial;
  /** Aborted if it was removed, or is another process's. */
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
}

const leaseMs = 10_000;
/** Maximum number of trials in progress per process. */
const maxInProgress = 20;
/** Time between two removals of old trials, ms. */
const removeEveryMs = 30_000;

export function createRunTrials<Trial extends CheckTrial>(options: RunTrialsOptions<Trial>): RunTrials {
  const { store, clock, owner, location, inputOf, probe, wake, onError } = options;
  let removedAt = 0;
  const inProgress = new Map<string, InProgress<Trial>>();
  const run = async (trial: Trial, signal: AbortSignal): Promise<void> => {
    let isFirst = true;
    const onProgress: OnProgress = async (progress) => {
      await store.addSlice?.(trial, owner, { ...progress, isFirst });
      isFirst = false;
    };
    const finding = await inputOf(trial)
      .then((input) => probe(input, signal, store.addSlice === undefined ? undefined : onProgress))
      .catch((error: unknown) => {
        onError(trial, error);
        const message = 'no verdict because of an error in Tocsin';
        return bareFinding(clock.now(), { verdict: 'unknown', reason: 'crashed', message });
      });
    // If this fails, the lease ends and the trial is repeated.
    await store.end(trial, owner, finding).catch((error: unknown) => onError(trial, error));
  };
  return {
    async tick() {
      const now = clock.now();
      const lease = { location, owner, now, leaseMs };
      if (Math.abs(now - removedAt) >= removeEveryMs) {
        await store.removeOld(now);
        removedAt = now;
      }
      if (inProgress.size > 0) {
        const lost = await store.renew(
          [...inProgress.values()].map(({ trial }) => trial),
          lease,
        );
        for (const id of lost) inProgress.get(id)?.stopping.abort();
      }
      const room = maxInProgress - inProgress.size;
      const claimed = room > 0 ? await store.claim(lease, room) : [];
      for (const trial of claimed) {
        if (inProgress.has(trial.id)) continue;
        const stopping = new AbortController();
        const ended = run(trial, stopping.signal).finally(() => {
          inProgress.delete(trial.id);
          if (inProgress.size === maxInProgress - 1) wake();
        });
        inProgress.set(trial.id, { trial, stopping, ended });
      }
      return leaseMs / 3;
    },
    async stop(graceMs) {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, graceMs);
      await Promise.race([Promise.all([...inProgress.values()].map(({ ended }) => ended)), late]);
      clearTimeout(timer);
    },
  };
}
