// When a check that is not passing sends an alert (reference: alertSettings).

/** Escalation, reminders and parallel-location threshold, as stored on account, group and check. */
export interface AlertSettings {
  readonly escalationType?: 'RUN_BASED' | 'TIME_BASED';
  readonly runBasedEscalation?: { readonly failedRunThreshold?: number };
  readonly timeBasedEscalation?: { readonly minutesFailingThreshold?: number };
  readonly reminders?: { readonly amount?: number; readonly interval?: number };
  readonly parallelRunFailureThreshold?: { readonly enabled?: boolean; readonly percentage?: number };
  readonly sslCertificates?: { readonly enabled?: boolean; readonly alertThreshold?: number };
  /** Only on accounts: checks with alerts within a minute beyond which people get digests; 0 = never. */
  readonly digestThreshold?: number;
}

/** The escalation rule: an alert after a number of consecutive failing runs, or after failing for some time. */
export type Escalation =
  | { readonly type: 'RUN_BASED'; readonly runs: number }
  | { readonly type: 'TIME_BASED'; readonly ms: number };

/** How often open alerts are repeated. */
export interface Reminders {
  /** Infinity = until recovery. */
  readonly amount: number;
  readonly intervalMs: number;
}

const untilRecovery = 100_000;

/** The effective reminders of a check; null = none. */
export function remindersOf(settings: AlertSettings | null): Reminders | null {
  const { amount = 0, interval } = settings?.reminders ?? {};
  if (amount === 0) return null;
  return { amount: amount >= untilRecovery ? Infinity : amount, intervalMs: (interval || 5) * 60_000 };
}

/** Whether settings say when a failure is alerted. */
export function setsEscalation(settings: AlertSettings | null): boolean {
  return settings?.escalationType !== undefined || (settings?.runBasedEscalation?.failedRunThreshold ?? 0) > 0;
}

/**
 * The effective escalation of a check: the check's own settings if `useGlobalAlertSettings` is false, otherwise its
 * group's, otherwise the account's. Default: alert on the first failing run. Without a type, a number of runs means
 * RUN_BASED (reference §4.5).
 */
export function escalationOf(levels: readonly (AlertSettings | null)[]): Escalation {
  const settings = levels.find(setsEscalation);
  if (settings?.escalationType === 'TIME_BASED') {
    return { type: 'TIME_BASED', ms: (settings.timeBasedEscalation?.minutesFailingThreshold || 5) * 60_000 };
  }
  return { type: 'RUN_BASED', runs: settings?.runBasedEscalation?.failedRunThreshold || 1 };
}
