// Time as a dependency: everything that asks what time it is asks a Clock.

/** A source of the present. `now` is epoch milliseconds (UTC). */
export interface Clock {
  now(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };
