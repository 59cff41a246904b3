// Cryptographically secure randomness of the machine.
import { randomInt, randomUUID } from 'node:crypto';

/** The number of different fractions that `randomInt` can provide. */
const steps = 2 ** 47;

export const systemRandom = {
  /** A UUID of version 4. */
  uuid: (): string => randomUUID(),
  /** From 0 to below 1. */
  fraction: (): number => randomInt(steps) / steps,
};
