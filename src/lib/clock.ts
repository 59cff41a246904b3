// The clock as a dependency.

/** A source of the current time. `now` is epoch milliseconds (UTC). */
export interface Clock {
  now(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };

/**
 * Whether a lease holds. One that ends much later than any lease can was taken before the clock was set back, and would
 * hold until that time.
 * @param until epoch ms
 * @param leaseMs how long a lease is
 */
export function isLeased(until: number, now: number, leaseMs: number): boolean {
  return until > now && until - now <= 2 * leaseMs;
}
