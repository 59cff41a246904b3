// Compares the alerts of two settings with each other and with those that were really raised.
import type { BacktestAlert, Replayed } from '#domain/backtests/backtest.ts';
import type { Store } from '#store/store.ts';

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
