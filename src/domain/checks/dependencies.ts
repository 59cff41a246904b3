// Dependencies between checks: while a needed check fails, failures of its dependents are recorded but not notified
// (docs/decisions/0128).
import type { CheckGroup } from './check-group.ts';
import type { CheckStatus } from './check-state.ts';
import type { Check } from './check.ts';

/** Maximum number of checks that a check or group can name. */
export const maxDependencies = 10;

/** The needed check that suppresses an alert, as it is stored with the alert. */
export interface Suppressor {
  readonly checkId: string;
  readonly name: string;
}

/** A needed check as its dependent sees it. Times are epoch ms. */
export interface NeededCheck extends Suppressor {
  /** false = it or its group is deactivated. */
  readonly isActive: boolean;
  readonly status: CheckStatus | null;
  /** Newest result with a verdict; null = none. */
  readonly judgedAt: number | null;
  /** When it last stopped failing; null = it never did. */
  readonly recoveredAt: number | null;
  /** Interval in ms. */
  readonly everyMs: number;
}

/** The failure of a dependent check. */
export interface DependentFailure {
  /** Start of the newest result that counts, epoch ms. */
  readonly startedAt: number;
  /** Interval of the check in ms. */
  readonly everyMs: number;
}

/** IDs of the checks that a check needs: its own list, and that of its group unless the check is in it. */
export function neededBy(
  check: Pick<Check, 'id' | 'dependsOn'>,
  group: Pick<CheckGroup, 'dependsOn'> | null,
): string[] {
  const ofGroup = group === null || group.dependsOn.includes(check.id) ? [] : group.dependsOn;
  return [...new Set([...check.dependsOn, ...ofGroup])].filter((id) => id !== check.id);
}

/** Intervals without a verdict after which a failing check no longer suppresses, and at least this time in ms. */
const [staleIntervals, staleMs] = [3, 300_000] as const;

/**
 * The check that suppresses the alert of a failure; null = none does. A needed check suppresses while it fails, and
 * after its recovery until the dependent has had an interval to recover, too.
 * @param now epoch ms
 */
export function suppressorOf(
  needed: readonly NeededCheck[],
  { startedAt, everyMs }: DependentFailure,
  now: number,
): Suppressor | null {
  const found = needed.find((check) => {
    if (!check.isActive) return false;
    if (check.status === 'failing') {
      return now - (check.judgedAt ?? 0) <= Math.max(staleIntervals * check.everyMs, staleMs);
    }
    const { recoveredAt } = check;
    // In the future: the clock was set back.
    if (recoveredAt === null || recoveredAt > now) return false;
    return now < recoveredAt + everyMs || startedAt <= recoveredAt;
  });
  return found === undefined ? null : { checkId: found.checkId, name: found.name };
}
