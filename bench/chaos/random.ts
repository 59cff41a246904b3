// Seeded random numbers, so that a run can be repeated.

/** Returns numbers from 0 to below 1 (mulberry32). */
export type Random = () => number;

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the items in random order. */
export function shuffled<Thing>(things: readonly Thing[], random: Random): Thing[] {
  const order = things.map((thing) => ({ thing, place: random() }));
  return order.sort((a, b) => a.place - b.place).map(({ thing }) => thing);
}
