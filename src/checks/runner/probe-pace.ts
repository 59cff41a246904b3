// How many probes a thread has begun lately: no more at once than it can look at in time (design: Honest figures).
// Probes that wait for a slow target cost nothing and do not count; without a bound a backlog would be begun all at once,
// every answer would be seen late, and every verdict be withheld for it.

/** Counts the probes that are young. */
export interface Pace {
  begin(number: number): void;
  end(number: number): void;
  /** Whether the next probe should wait until one has ended or grown old. */
  readonly isFull: boolean;
}

/**
 * @param youngMost probes under way that were begun less than `youngMs` ago; more than the largest group whose checks
 *   shall begin together (500)
 * @param now ms, steady
 */
export function createPace(now: () => number, youngMost = 600, youngMs = 1000): Pace {
  // In the order in which they were begun: the oldest stand in front.
  const young = new Map<number, number>();
  return {
    begin: (number) => void young.set(number, now()),
    end: (number) => void young.delete(number),
    get isFull() {
      if (young.size < youngMost) return false;
      const oldAt = now() - youngMs;
      for (const [number, begunAt] of young) {
        if (begunAt > oldAt) break;
        young.delete(number);
      }
      return young.size >= youngMost;
    },
  };
}
