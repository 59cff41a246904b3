// Why the last run of each check did not pass, which its status shows.
import type { Dialect } from '../dialect.ts';

/** Null until the next result. */
export function lastReason({ types }: Dialect): string[] {
  return [`ALTER TABLE check_states ADD COLUMN last_reason ${types.code}`];
}
