// What a backtest changes, and how its alerts compare with those that were really raised.
import type { BacktestAlert, Replayed } from '#domain/backtests/backtest.ts';
import type { Store } from '#store/store.ts';
import type { Check } from '#domain/checks/check.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Outcome } from '#domain/results/result.ts';
import type { StoredPastResult } from '#store/history/past-results.ts';

/** A real alert that time raised is this close to the replayed one, ms. */
const nearMs = 120_000;

/** Alerts and messages of the period. */
export interface BacktestCounts {
  /** Failures and degradations that were alerted, without reminders. */
  readonly alerts: number;
  readonly reminders: number;
  readonly suppressed: number;
  readonly messages: number;
}

/** An alert of either settings. */
export interface ComparedAlert extends BacktestAlert {
  readonly checkName: string;
  readonly isPresent: boolean;
  readonly isChanged: boolean;
  /** An alert of the present settings that was not raised then. */
  readonly wasNotRaised: boolean;
}

/** Alerts that were really raised, up to 5,000. */
export async function raisedAlerts(
  { checkAlerts }: Pick<Store, 'checkAlerts'>,
  accountId: string,
  filter: { readonly from: number; readonly to: number; readonly checkId: string | null },
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>();
  for (let offset = 0; offset < 5000;) {
    const { rows, total } = await checkAlerts.list(accountId, filter, { limit: 500, offset });
    for (const { checkId, alertType, createdAt } of rows) {
      const key = `${checkId} ${alertType}`;
      times.set(key, [...(times.get(key) ?? []), createdAt]);
    }
    offset += rows.length;
    if (rows.length === 0 || offset >= total) break;
  }
  return times;
}

/** The alerts of both sides, newest first. */
export function compared(
  present: readonly BacktestAlert[],
  changed: readonly BacktestAlert[],
  raised: ReadonlyMap<string, readonly number[]>,
  nameOf: (checkId: string) => string,
): ComparedAlert[] {
  const keyOf = ({ checkId, alertType, resultId, isReminder, suppressedBy }: BacktestAlert): string =>
    [checkId, alertType, resultId, isReminder, suppressedBy !== null].join(' ');
  const all = new Map<string, { alert: BacktestAlert; isPresent: boolean; isChanged: boolean }>();
  for (const alert of present) all.set(keyOf(alert), { alert, isPresent: true, isChanged: false });
  for (const alert of changed) {
    const known = all.get(keyOf(alert));
    all.set(keyOf(alert), { alert: known?.alert ?? alert, isPresent: known !== undefined, isChanged: true });
  }
  return [...all.values()]
    .map(({ alert, isPresent, isChanged }) => ({
      ...alert,
      checkName: nameOf(alert.checkId),
      isPresent,
      isChanged,
      wasNotRaised:
        isPresent &&
        !(raised.get(`${alert.checkId} ${alert.alertType}`) ?? []).some((at) => Math.abs(at - alert.at) <= nearMs),
    }))
    .toSorted((a, b) => b.at - a.at);
}

export function countsOf(alerts: readonly BacktestAlert[], { messages }: Replayed, to: number): BacktestCounts {
  const sent = alerts.filter(({ suppressedBy }) => suppressedBy === null);
  const opened = sent.filter(({ alertType }) => alertType === 'ALERT_FAILURE' || alertType === 'ALERT_DEGRADED');
  return {
    alerts: opened.filter(({ isReminder }) => !isReminder).length,
    reminders: opened.filter(({ isReminder }) => isReminder).length,
    suppressed: alerts.length - sent.length,
    messages: messages.filter((at) => at <= to).length,
  };
}

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
