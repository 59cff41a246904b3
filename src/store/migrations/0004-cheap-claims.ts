// Schedules remember where the scheduler moved them (docs/decisions/0049), and a lease writes no index
// (docs/decisions/0050).
import type { Dialect } from '../dialect.ts';

export function cheapClaims(dialect: Dialect): string[] {
  return [`ALTER TABLE schedules ADD COLUMN moved_to ${dialect.types.instant}`, ...dialect.runsByDueTime()];
}
