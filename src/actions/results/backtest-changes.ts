// What a change of settings means for stored results: which are judged anew, and what they cannot show.
import type { Check } from '#domain/checks/check.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Outcome } from '#domain/results/result.ts';
import type { StoredPastResult } from '#store/history/past-results.ts';

/** Response times, ms. */
export interface TimeLimits {
  readonly degradedResponseTime: number;
  readonly maxResponseTime: number;
}

function limitsOf({ settings }: Check): TimeLimits | null {
  const { degradedResponseTime, maxResponseTime } = settings;
  return typeof degradedResponseTime === 'number' && typeof maxResponseTime === 'number'
    ? { degradedResponseTime, maxResponseTime }
    : null;
}

/** The response time from which passing results may be judged otherwise, ms; null = the limits are the same. */
export function hasOtherLimits(present: Check, changed: Check): number | null {
  const [before, after] = [limitsOf(present), limitsOf(changed)];
  if (before === null || after === null) return null;
  const isSame =
    before.degradedResponseTime === after.degradedResponseTime && before.maxResponseTime === after.maxResponseTime;
  return isSame ? null : Math.min(after.degradedResponseTime, after.maxResponseTime);
}

/** A result with other limits on its response time, if nothing else decided it. */
export function judgedAnew(
  result: StoredPastResult,
  present: Check,
  changed: Check,
  judgeTime: (ms: number, limits: TimeLimits) => Outcome,
): StoredPastResult {
  const limits = limitsOf(changed);
  const { responseTimeMs, outcome, isSlow } = result;
  if (limits === null || responseTimeMs === null || hasOtherLimits(present, changed) === null) return result;
  return outcome === 'passed' || isSlow ? { ...result, outcome: judgeTime(responseTimeMs, limits) } : result;
}

/** Settings whose change results of the past can tell, or that alert nobody otherwise. */
const told = new Set<string>([
  'id',
  'accountId',
  'name',
  'description',
  'runbookUrl',
  'notes',
  'tags',
  'muted',
  'mutedUntil',
  'mutedUntilRecovery',
  'mutedFrom',
  'dependsOn',
  'doubleCheck',
  'groupOrder',
  'alertSettings',
  'useGlobalAlertSettings',
  'triggerIncident',
  'createdAt',
  'updatedAt',
  'degradedResponseTime',
  'maxResponseTime',
]);

/** Names of changed settings that the past cannot tell, in alphabetical order. */
export function untoldFields(
  before: ReadonlyMap<string, { readonly check: Check }>,
  after: ReadonlyMap<string, { readonly check: Check }>,
): string[] {
  const found = new Set<string>();
  for (const [id, { check }] of after) {
    const present = before.get(id)?.check;
    if (present === undefined || present === check) continue;
    const [one, other] = [flatOf(present), flatOf(check)];
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      if (!told.has(name) && JSON.stringify(one[name]) !== JSON.stringify(other[name])) found.add(name);
    }
  }
  return [...found].toSorted();
}

function flatOf({ settings, ...common }: Check): JsonObject {
  return { ...(common as unknown as JsonObject), ...settings };
}
