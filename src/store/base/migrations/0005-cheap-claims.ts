// Schedules remember up to where the scheduler planned them (docs/decisions/0049), and a lease writes no index
// (docs/decisions/0051).
import type { Dialect } from '../dialect.ts';

export function cheapClaims(dialect: Dialect): string[] {
  return [`ALTER TABLE schedules ADD COLUMN planned_to ${dialect.types.instant}`, ...dialect.runsByDueTime()];
}
