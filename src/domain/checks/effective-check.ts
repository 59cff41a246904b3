import type { CheckGroup } from './check-group.ts';
import type { Check } from './check.ts';

/**
 * A check as it runs: its own settings with those of its group laid over them (reference §4.4).
 *
 * What a group says wins; what it leaves open stays the check's own: an empty list of locations, `runParallel` and
 * `useGlobalAlertSettings` of null, a retry strategy of `FALLBACK` (null says no retry). Some differ:
 * the check's runtime wins over its group's (decisions: Runtimes), and a check runs only when both are activated and is
 * muted when, and as long as, either is.
 */
export function effectiveCheck(check: Check, group: CheckGroup | null): Check {
  if (group === null) return check;
  const isPlaced = group.locations.length > 0 || (group.privateLocations ?? []).length > 0;
  const { retryStrategy, useGlobalAlertSettings } = group;
  return {
    ...check,
    activated: check.activated && group.activated,
    muted: check.muted || group.muted,
    mutedUntil: later(check.mutedUntil, group.mutedUntil),
    runtimeId: check.runtimeId ?? group.runtimeId,
    runParallel: group.runParallel ?? check.runParallel,
    ...(isPlaced ? { locations: group.locations, privateLocations: group.privateLocations } : {}),
    ...(retryStrategy === 'FALLBACK' ? {} : { retryStrategy }),
    ...(useGlobalAlertSettings === null
      ? {}
      : { useGlobalAlertSettings, alertSettings: group.alertSettings ?? check.alertSettings }),
  };
}

function later(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}
