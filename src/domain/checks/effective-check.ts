// The effective settings of a check: its own and those of its group, and whether they mute it.
import type { CheckGroup } from './check-group.ts';
import { type Check, namedLocations } from './check.ts';

/**
 * The effective settings of a check: its own, overridden by those of its group (reference §4.4).
 * Settings that the group leaves open stay the check's own: an empty list of locations, `runParallel` and
 * `useGlobalAlertSettings` of null, a retry strategy of `FALLBACK` (null means no retries). Exceptions: the check's
 * runtime overrides its group's (decisions: Runtimes), and a check runs only if both are activated and is muted while
 * either is.
 */
export function effectiveCheck(check: Check, group: CheckGroup | null): Check {
  if (group === null) return check;
  const isPlaced = namedLocations(group).length > 0;
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

type RecoveryMute = Pick<Check, 'mutedUntilRecovery' | 'mutedFrom'>;

/** Whether a mute until recovery lasts. @param passedAt when the check last recovered, epoch ms; null = never */
export function lastsUntilRecovery({ mutedUntilRecovery, mutedFrom }: RecoveryMute, passedAt: number | null): boolean {
  return mutedUntilRecovery && mutedFrom !== null && (passedAt === null || passedAt <= mutedFrom);
}

/** Whether the check or its group mutes it until it recovers. */
export function isMutedUntilRecovery(
  { check, group }: { readonly check: Check; readonly group: CheckGroup | null },
  passedAt: number | null,
): boolean {
  return lastsUntilRecovery(check, passedAt) || (group !== null && lastsUntilRecovery(group, passedAt));
}

/**
 * The record after a write, with the time when the mute was set.
 * @param isWritten whether the write names the field; a mute that is set again starts again
 * @param now epoch ms
 */
export function withMuteStart<Muted extends RecoveryMute>(
  record: Muted,
  present: RecoveryMute | null,
  isWritten: boolean,
  now: number,
): Muted {
  const kept = isWritten ? null : (present?.mutedFrom ?? null);
  return { ...record, mutedFrom: record.mutedUntilRecovery ? (kept ?? now) : null };
}

/** Whether a check or group is muted in any way. @param now epoch ms */
export function isMutedAt(
  { muted, mutedUntil, mutedUntilRecovery }: Pick<Check, 'muted' | 'mutedUntil' | 'mutedUntilRecovery'>,
  now: number,
): boolean {
  return muted || now < (mutedUntil ?? 0) || mutedUntilRecovery;
}
