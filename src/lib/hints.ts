/** Notifies listeners that polling now may be worthwhile. A lost hint only costs latency. */
export interface Hints {
  readonly hint: () => void;
  /** Returns a function that unsubscribes. */
  readonly listen: (wake: () => void) => () => void;
}

export function createHints(): Hints {
  const listeners = new Set<() => void>();
  return {
    hint() {
      for (const wake of listeners) wake();
    },
    listen(wake) {
      listeners.add(wake);
      return () => listeners.delete(wake);
    },
  };
}
