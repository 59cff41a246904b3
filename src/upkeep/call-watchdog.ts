// Calls the watchdog each minute while every step makes progress in some process (docs/decisions/0135).
import type { ProcessSign } from '#domain/accounts/process.ts';
import {
  isCallDue,
  neverCalled,
  reasonsToWithhold,
  watchdogIntervalMs,
  watchdogRetryMs,
  type WatchdogState,
} from '#domain/accounts/watchdog.ts';
import type { Clock } from '#lib/clock.ts';

/** Calls the URL. */
export interface WatchdogCaller {
  /** Returns why the call failed, without path, query and user, which may be secret; null = it was answered. */
  call(): Promise<string | null>;
  close(): Promise<void>;
}

export interface CallWatchdogOptions {
  readonly store: {
    state(): Promise<WatchdogState | null>;
    /** false = another process was first. */
    move(before: WatchdogState | null, after: WatchdogState): Promise<boolean>;
  };
  /** All processes as they last published themselves. */
  readonly processes: () => Promise<readonly ProcessSign[]>;
  /** The steps of each role. */
  readonly steps: Readonly<Record<string, readonly string[]>>;
  readonly call: WatchdogCaller['call'];
  readonly clock: Clock;
  /** When this process started, epoch ms. */
  readonly startedAt: number;
  readonly onWithheld: (reasons: readonly string[]) => void;
  readonly onFailed: (error: string) => void;
  /** The watchdog is called again, and answers. */
  readonly onCalled: () => void;
}

/** After a start, other processes may still be starting, ms. */
const startsWithinMs = 60_000;

/** One tick. Returns the delay until the next one, ms. */
export function createCallWatchdog(options: CallWatchdogOptions): () => Promise<number> {
  const { store, processes, steps, clock, startedAt } = options;
  return async () => {
    const now = clock.now();
    const stored = await store.state();
    const state = stored ?? neverCalled;
    if (!isCallDue(state, now)) return state.dueAt - now;
    const reasons = reasonsToWithhold(await processes(), steps, now);
    if (reasons.length > 0 && state.withheldSince === null && now - startedAt < startsWithinMs) return 1000;
    const claimed: WatchdogState = {
      ...state,
      dueAt: now + watchdogIntervalMs,
      withheldSince: reasons.length === 0 ? null : (state.withheldSince ?? now),
      reasons,
    };
    if (!(await store.move(stored, claimed))) return 1000;
    if (reasons.length > 0) {
      if (state.withheldSince === null) options.onWithheld(reasons);
      return watchdogIntervalMs;
    }
    const error = await options.call();
    if (error === null && state.failingSince === null) {
      if (state.withheldSince !== null) options.onCalled();
      return watchdogIntervalMs;
    }
    const after: WatchdogState =
      error === null
        ? { ...claimed, failingSince: null, error: null }
        : { ...claimed, dueAt: now + watchdogRetryMs, failingSince: state.failingSince ?? now, error };
    await store.move(claimed, after);
    if (error === null) options.onCalled();
    else if (state.failingSince === null) options.onFailed(error);
    return after.dueAt - now;
  };
}
