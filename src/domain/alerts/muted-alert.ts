// Which alerts are not raised because of a mute or maintenance: counted once per failure, for the ledger.
import { type CheckState, foldResult, judgeState, type StateResult, type StateRules } from '../checks/check-state.ts';
import type { AlertType } from './alert.ts';

/**
 * The alert that would be raised by this result if the check were not muted; null = none, or it was due before.
 * @param before the state before the result
 */
export function mutedAlert(before: CheckState, result: StateResult, rules: StateRules): AlertType | null {
  if (!rules.isMuted) return null;
  const unmuted = { ...rules, isMuted: false };
  const due = foldResult(before, result, unmuted).opens;
  if (due === null || before.position === null) return due;
  const { startedAt } = before.position;
  const wasDue = judgeState(before, unmuted, {
    now: startedAt,
    everyMs: Number.POSITIVE_INFINITY,
    judgedAt: startedAt,
  });
  return due === wasDue ? null : due;
}
