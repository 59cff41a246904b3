/** Tells whoever listens that it may be worth looking again. Losing a hint costs latency, nothing else. */
export interface Hints {
  readonly hint: () => void;
  /** Gives back what ends the listening. */
  readonly listen: (look: () => void) => () => void;
}

export function createHints(): Hints {
  const listeners = new Set<() => void>();
  return {
    hint() {
      for (const look of listeners) look();
    },
    listen(look) {
      listeners.add(look);
      return () => listeners.delete(look);
    },
  };
}
