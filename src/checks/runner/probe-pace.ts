// Limits how many probes a thread starts at once to what it can measure in time (design: Honest figures). Probes that
// wait for a slow target do not count. Without a limit, a backlog would start all at once, responses would be measured
// late, and verdicts would be withheld.

/** Counts recently started probes. */
export interface Pace {
  begin(number: number): void;
  end(number: number): void;
  /** Whether the next probe must wait until one ends or is no longer recent. */
  readonly isFull: boolean;
}

/**
 *
 * @param youngMost maximum running probes started less than `youngMs` ago; must exceed the largest group that starts
 * together (500)
 * @param now monotonic time in ms
 */
export function createPace(now: () => number, maxYoung = 600, youngMs = 1000): Pace {
  // In order of start, oldest first.
  const young = new Map<number, number>();
  return {
    begin: (number) => void young.set(number, now()),
    end: (number) => void young.delete(number),
    get isFull() {
      if (young.size < maxYoung) return false;
      const oldAt = now() - youngMs;
      for (const [number, begunAt] of young) {
        if (begunAt > oldAt) break;
        young.delete(number);
      }
      return young.size >= maxYoung;
    },
  };
}
