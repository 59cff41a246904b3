// Interval and grace time of a check.
import type { AnswerOf } from '#contract/operations.ts';

type Check = AnswerOf<'getCheck'>;

const unitMinutes = { seconds: 1 / 60, minutes: 1, hours: 60, days: 1440 } as const;

/** Grace of a heartbeat, minutes; 0 for others. */
export function graceMinutes(check: Check): number {
  return check.checkType === 'HEARTBEAT' ? check.heartbeat.grace * unitMinutes[check.heartbeat.graceUnit] : 0;
}

/** Interval between runs, minutes. */
export function intervalMinutes(check: Check): number {
  if (check.checkType === 'HEARTBEAT') return check.heartbeat.period * unitMinutes[check.heartbeat.periodUnit];
  return check.frequency === 0 ? (check.frequencyOffset ?? 60) / 60 : check.frequency;
}
