// When a check that is not passing is worth an alert (reference: alertSettings).

/** Escalation, reminders and the threshold of parallel locations; as stored on account, group and check. */
export interface AlertSettings {
  readonly escalationType?: 'RUN_BASED' | 'TIME_BASED';
  readonly runBasedEscalation?: { readonly failedRunThreshold?: number };
  readonly timeBasedEscalation?: { readonly minutesFailingThreshold?: number };
  readonly reminders?: { readonly amount?: number; readonly interval?: number };
  readonly parallelRunFailureThreshold?: { readonly enabled?: boolean; readonly percentage?: number };
  readonly sslCertificates?: { readonly enabled?: boolean; readonly alertThreshold?: number };
}

/** The rule that decides when an alert is due: after that many failing runs in a row, or after failing that long. */
export type Escalation =
  | { readonly type: 'RUN_BASED'; readonly runs: number }
  | { readonly type: 'TIME_BASED'; readonly ms: number };

/** How often what is still open is told again. */
export interface Reminders {
  /** Infinity = until it recovers. */
  readonly amount: number;
  readonly intervalMs: number;
}

const untilRecovery = 100_000;

/** The reminders that hold for a check, by the settings that hold for it; null = none. */
export function remindersOf(settings: AlertSettings | null): Reminders | null {
  const { amount = 0, interval } = settings?.reminders ?? {};
  if (amount === 0) return null;
  return { amount: amount >= untilRecovery ? Infinity : amount, intervalMs: (interval || 5) * 60_000 };
}

/**
 * The escalation that holds for a check. The check's own settings win when `useGlobalAlertSettings` is false, else its
 * group's, else the account's; what nobody set is an alert at the first failing run. A number of runs alone says RUN_BASED, which is
 * the type where none is named (reference §4.5).
 */
export function escalationOf(levels: readonly (AlertSettings | null)[]): Escalation {
  const settings = levels.find(
    (level) => level?.escalationType !== undefined || (level?.runBasedEscalation?.failedRunThreshold ?? 0) > 0,
  );
  if (settings?.escalationType === 'TIME_BASED') {
    return { type: 'TIME_BASED', ms: (settings.timeBasedEscalation?.minutesFailingThreshold || 5) * 60_000 };
  }
  return { type: 'RUN_BASED', runs: settings?.runBasedEscalation?.failedRunThreshold || 1 };
}
