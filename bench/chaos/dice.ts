// Random numbers that follow from a seed, so that a run can be repeated.

/** Numbers from 0 up to 1 (mulberry32). */
export type Dice = () => number;

export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same things in another order. */
export function shuffled<Thing>(things: readonly Thing[], dice: Dice): Thing[] {
  const order = things.map((thing) => ({ thing, place: dice() }));
  return order.sort((a, b) => a.place - b.place).map(({ thing }) => thing);
}
