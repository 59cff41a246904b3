// What roll-ups came to by the phases of responses (docs/decisions/0108).
import type { Dialect } from '../dialect.ts';

/** Null in the roll-ups that there are: how long the phases took is not known. */
export function phases({ types }: Dialect): string[] {
  return [`ALTER TABLE roll_ups ADD COLUMN phases ${types.bytes}`];
}
