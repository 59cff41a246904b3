// The target of a check: when it changes, the check runs at once.
import type { Check } from './check.ts';
import type { JsonValue } from '../json.ts';
import type { CheckContext } from '../results/recording.ts';

/** Settings that only affect the evaluation of a response. */
const judging: ReadonlySet<string> = new Set([
  'assertions',
  'degradedResponseTime',
  'maxResponseTime',
  'degradedPacketLossThreshold',
  'maxPacketLossThreshold',
  'alertDaysBeforeExpiry',
]);

/** Whether a change gives a check another target: request, host or script. */
export function hasOtherTarget(before: Pick<Check, 'settings'>, after: Pick<Check, 'settings'>): boolean {
  return targetOf(before) !== targetOf(after);
}

/**
 * Whether a change makes a check's last result outdated: another target, assertions, limits, or defaults of its group.
 */
export function hasOtherRequest(before: CheckContext, after: CheckContext): boolean {
  return before.revision !== after.revision && requestOf(before) !== requestOf(after);
}

function requestOf({ check, group }: CheckContext): string {
  return JSON.stringify([check.settings, group?.apiCheckDefaults]);
}

function targetOf({ settings }: Pick<Check, 'settings'>): string {
  return JSON.stringify(settings, (key, value: JsonValue) => (judging.has(key) ? undefined : value));
}
