// Computes expected alerts from recorded verdicts; an independent implementation without code of the product.
import type { CheckRecord } from './fixture.ts';

/** An alert as received. */
export interface SeenAlert {
  readonly type: string;
  readonly checkId: string;
  readonly resultId: string;
}

/** A recorded verdict. */
export interface JudgedVerdict {
  readonly checkId: string;
  readonly resultId: string;
  readonly isFailure: boolean;
  /** Whether a window silences the check at that time. */
  readonly isSilenced: boolean;
}

/** Follows verdicts and computes the expected alerts. */
export interface AlertJudge {
  verdict(verdict: JudgedVerdict): void;
  /** The check is evaluated without a new result: an alert suppressed by a window is due now, for the latest failure. */
  inspect(checkId: string): void;
  /** Whether the alert of a failure is suppressed. */
  isSuppressed(checkId: string): boolean;
  /** Whether a failure was reported and has not recovered. */
  isOpen(checkId: string): boolean;
  expected(): readonly SeenAlert[];
}

/** @param runsOf number of consecutive failures before the alert of a check */
export function createAlertJudge(runsOf: (checkId: string) => number): AlertJudge {
  const failing = new Map<string, number>();
  const newest = new Map<string, string>();
  const open = new Set<string>();
  const alerts: SeenAlert[] = [];
  const isSuppressed = (checkId: string): boolean =>
    (failing.get(checkId) ?? 0) >= runsOf(checkId) && !open.has(checkId) && newest.has(checkId);
  const report = (checkId: string, resultId: string): void => {
    open.add(checkId);
    alerts.push({ type: 'ALERT_FAILURE', checkId, resultId });
  };
  return {
    isSuppressed,
    inspect(checkId) {
      const resultId = newest.get(checkId);
      if (isSuppressed(checkId) && resultId !== undefined) report(checkId, resultId);
    },
    verdict({ checkId, resultId, isFailure, isSilenced }) {
      if (!isFailure) {
        failing.set(checkId, 0);
        if (open.delete(checkId)) alerts.push({ type: 'ALERT_RECOVERY', checkId, resultId });
        return;
      }
      const inARow = (failing.get(checkId) ?? 0) + 1;
      failing.set(checkId, inARow);
      newest.set(checkId, resultId);
      if (isSuppressed(checkId) && !isSilenced) report(checkId, resultId);
    },
    isOpen: (checkId) => open.has(checkId),
    expected: () => alerts,
  };
}

/** Differences between expected and received alerts; empty = none. */
export function differences(expected: readonly SeenAlert[], arrived: readonly SeenAlert[]): readonly string[] {
  const wordsOf = ({ type, checkId, resultId }: SeenAlert): string => `${type} of ${checkId}, result ${resultId}`;
  const count = (alerts: readonly SeenAlert[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const alert of alerts) counts.set(wordsOf(alert), (counts.get(wordsOf(alert)) ?? 0) + 1);
    return counts;
  };
  const [wanted, had] = [count(expected), count(arrived)];
  return [
    ...[...wanted].filter(([words]) => !had.has(words)).map(([words]) => `lost: ${words}`),
    ...[...had].filter(([words]) => !wanted.has(words)).map(([words]) => `invented: ${words}`),
    ...[...had].filter(([words, times]) => wanted.has(words) && times > 1).map(([words]) => `sent twice: ${words}`),
  ];
}

const quarterMs = 15 * 60_000;

/** Time until the next window with a suppressed failure ends, ms, on the clock of the process; Infinity = none. */
export function windowsEndIn(records: Iterable<CheckRecord>, alerts: AlertJudge, now: number): number {
  const suppressed = [...records].filter(({ check }) => alerts.isSuppressed(check.id));
  const spans = suppressed.flatMap(({ check }) => check.silenced.filter(({ from, to }) => from <= now && now < to));
  return Math.min(...spans.map(({ to }) => to - now));
}

/**
 * States are evaluated without a result: an alert that no window suppresses any more is due, unless the state is too old
 * (docs/decisions/0100). Returns the number of alerts.
 */
export function reportUnsuppressed(records: Iterable<CheckRecord>, alerts: AlertJudge, now: number): number {
  let reported = 0;
  for (const { check, isSilenced, slotAt } of records) {
    const isKnown = now - slotAt <= 2 * check.intervalMs + quarterMs;
    if (!alerts.isSuppressed(check.id) || isSilenced(now) || !isKnown) continue;
    alerts.inspect(check.id);
    reported++;
  }
  return reported;
}
