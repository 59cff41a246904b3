// Waiting for a row to change: a hint brings the next look forward, a slow look is the floor, nothing spins.

/** Tells when it may be worth looking again; gives back what ends the telling. */
export type Hints = (look: () => void) => () => void;

/** How to wait. */
export interface Waiting {
  /** Milliseconds; after that the wait is over. */
  readonly mostMs: number;
  /** The wait is over when it aborts, as when the client goes away. */
  readonly signal: AbortSignal;
  readonly hints: Hints;
  /** Milliseconds between two looks: hints never make them more frequent than the first, silence not rarer than the second. */
  readonly pauseMs?: { readonly least: number; readonly most: number };
}

/** Looks until `isSo` says yes (then true), time is up or the signal aborts (then false). */
export async function waitUntil(isSo: () => Promise<boolean>, waiting: Waiting): Promise<boolean> {
  const { mostMs, signal, hints, pauseMs = { least: 20, most: 500 } } = waiting;
  const endsAt = performance.now() + mostMs;
  let isHinted = false;
  let wakeUp = (): void => {};
  const hintsEnd = hints(() => {
    isHinted = true;
    wakeUp();
  });
  const pause = (ms: number, isEndedByHint: boolean): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        wakeUp = () => {};
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done);
      if (isEndedByHint) wakeUp = done;
    });
  try {
    for (;;) {
      isHinted = false;
      if (await isSo()) return true;
      const leftMs = endsAt - performance.now();
      if (leftMs <= 0 || signal.aborted) return false;
      await pause(Math.min(pauseMs.least, leftMs), false);
      const restMs = Math.min(pauseMs.most, leftMs) - pauseMs.least;
      if (restMs > 0 && !isHinted && !signal.aborted) await pause(restMs, true);
    }
  } finally {
    hintsEnd();
  }
}
