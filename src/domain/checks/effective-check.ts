import type { CheckGroup } from './check-group.ts';
import type { Check } from './check.ts';

/**
 * The effective settings of a check: its own, overridden by those of its group (reference §4.4).
 * Settings that the group leaves open stay the check's own: an empty list of locations, `runParallel` and
 * `useGlobalAlertSettings` of null, a retry strategy of `FALLBACK` (null means no retries). Exceptions: the check's
 * runtime overrides its group's (decisions: Runtimes), and a check runs only if both are activated and is muted while
 * either is.
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
