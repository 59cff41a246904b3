// Waits for a row to change: polls slowly, and earlier after a hint.

/** Subscribes to hints; returns a function that unsubscribes. */
export type Hints = (wake: () => void) => () => void;

/** Options of waiting. */
export interface Waiting {
  /** Timeout in ms. */
  readonly maxMs: number;
  /** Stops waiting when it aborts, e.g. when the client disconnects. */
  readonly signal: AbortSignal;
  readonly hints: Hints;
  /** Minimum and maximum time between two polls, ms. */
  readonly pauseMs?: { readonly least: number; readonly max: number };
}

/** Polls until `isSo` returns true (returns true), or time runs out or the signal aborts (returns false). */
export async function waitUntil(isSo: () => Promise<boolean>, waiting: Waiting): Promise<boolean> {
  const { maxMs, signal, hints, pauseMs = { least: 20, max: 500 } } = waiting;
  const endsAt = performance.now() + maxMs;
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
      const restMs = Math.min(pauseMs.max, leftMs) - pauseMs.least;
      if (restMs > 0 && !isHinted && !signal.aborted) await pause(restMs, true);
    }
  } finally {
    hintsEnd();
  }
}
