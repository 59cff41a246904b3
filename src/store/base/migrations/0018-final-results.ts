// How many final results roll-ups were made of (docs/decisions/0113).
import type { Dialect } from '../dialect.ts';

/** Null in the roll-ups that there are: how many they were is not known. */
export function finalResults({ types }: Dialect): string[] {
  return [`ALTER TABLE roll_ups ADD COLUMN final_results ${types.integer}`];
}
