// What roll-ups came to by status code (docs/decisions/0108).
import type { Dialect } from '../dialect.ts';

/** Null in the roll-ups that there are: what they came to by status code is not known. */
export function statusCodes({ types }: Dialect): string[] {
  return [`ALTER TABLE roll_ups ADD COLUMN by_status ${types.bytes}`];
}
