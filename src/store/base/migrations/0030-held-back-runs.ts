// Runs that wait for a run of their check that another process has (docs/decisions/0115).
import type { Dialect } from '../dialect.ts';

/** `held_back`: 1 = it was due while another process had a run of its check at its location. */
export function heldBackRuns({ types, overlappingRuns }: Dialect): string[] {
  return [`ALTER TABLE runs ADD COLUMN held_back ${types.code}`, ...overlappingRuns];
}
