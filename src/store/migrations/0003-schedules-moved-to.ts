// Schedules remember where the scheduler moved them: what it has not moved itself is looked up (docs/decisions/0049).
import type { Dialect } from '../dialect.ts';

export function schedulesMovedTo({ types }: Dialect): string[] {
  return [`ALTER TABLE schedules ADD COLUMN moved_to ${types.instant}`];
}
