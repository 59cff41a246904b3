// The clock as a dependency.

/** A source of the current time. `now` is epoch milliseconds (UTC). */
export interface Clock {
  now(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };
