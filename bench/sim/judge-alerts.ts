// Which alerts there must be, by what was found and recorded: a second opinion that shares no code with the product.

/** An alert as a receiver sees it. */
export interface SeenAlert {
  readonly type: string;
  readonly checkId: string;
  readonly resultId: string;
}

/** What is known of a recorded verdict. */
export interface JudgedVerdict {
  readonly checkId: string;
  readonly resultId: string;
  readonly isFailure: boolean;
  /** Whether a window silences the check at that moment. */
  readonly isSilenced: boolean;
}

/** Follows the verdicts of checks and says which alerts they must have caused. */
export interface AlertJudge {
  verdict(verdict: JudgedVerdict): void;
  /** A check is looked at without a new result: what a window held back must be told now, with the newest failure. */
  inspect(checkId: string): void;
  /** Whether a failure is held back that nobody was told of. */
  isHeld(checkId: string): boolean;
  /** Whether somebody was told of a failure that is not over. */
  isOpen(checkId: string): boolean;
  expected(): readonly SeenAlert[];
}

/** @param runsOf after how many failures in a row a check is told of */
export function createAlertJudge(runsOf: (checkId: string) => number): AlertJudge {
  const failing = new Map<string, number>();
  const newest = new Map<string, string>();
  const open = new Set<string>();
  const alerts: SeenAlert[] = [];
  const isHeld = (checkId: string): boolean =>
    (failing.get(checkId) ?? 0) >= runsOf(checkId) && !open.has(checkId) && newest.has(checkId);
  const report = (checkId: string, resultId: string): void => {
    open.add(checkId);
    alerts.push({ type: 'ALERT_FAILURE', checkId, resultId });
  };
  return {
    isHeld,
    inspect(checkId) {
      const resultId = newest.get(checkId);
      if (isHeld(checkId) && resultId !== undefined) report(checkId, resultId);
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
      if (isHeld(checkId) && !isSilenced) report(checkId, resultId);
    },
    isOpen: (checkId) => open.has(checkId),
    expected: () => alerts,
  };
}

/** What differs between the alerts that there must be and those that arrived; empty = nothing. */
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
    ...[...had].filter(([words, times]) => wanted.has(words) && times > 1).map(([words]) => `told twice: ${words}`),
  ];
}
