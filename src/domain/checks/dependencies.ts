// Dependencies between checks: which checks a check needs (docs/decisions/0128).
import type { CheckGroup } from './check-group.ts';
import type { Check } from './check.ts';

/** Maximum number of checks that a check or group can name. */
export const maxDependencies = 10;

/** IDs of the checks that a check needs: its own list, and that of its group unless the check is in it. */
export function neededBy(
  check: Pick<Check, 'id' | 'dependsOn'>,
  group: Pick<CheckGroup, 'dependsOn'> | null,
): string[] {
  const ofGroup = group === null || group.dependsOn.includes(check.id) ? [] : group.dependsOn;
  return [...new Set([...check.dependsOn, ...ofGroup])].filter((id) => id !== check.id);
}
