// Due times of an account that is paused: put so far ahead that nothing takes them, without losing what they were.

/** What is added to a due time while it is parked, ms. */
export const parkedMs = 4_000_000_000_000_000;
/** Due times from here on are parked, epoch ms; no clock comes near. */
export const parkedFrom = 2_000_000_000_000_000;
