// The machine's own randomness, of the kind that nobody can foretell.
import { randomInt, randomUUID } from 'node:crypto';

/** As many different fractions as `randomInt` can give. */
const steps = 2 ** 47;

export const systemRandom = {
  /** A UUID of version 4. */
  uuid: (): string => randomUUID(),
  /** From 0 up to, and never, 1. */
  fraction: (): number => randomInt(steps) / steps,
};
