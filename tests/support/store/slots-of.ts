// The slots of a check, found without the arithmetic that is under test.
import type { Check } from '#domain/checks/check.ts';
import { scheduleOf } from '#domain/checks/schedule.ts';

/** The slots after `from` up to `to` (epoch ms), by a check's own record alone: every ms is looked at. */
export function slotsBetween(check: Check, from: number, to: number): number[] {
  const schedule = scheduleOf(check, null);
  const slots: number[] = [];
  if (schedule === null) return slots;
  for (let at = from + 1; at <= to; at++) if ((at - schedule.phaseMs) % schedule.intervalMs === 0) slots.push(at);
  return slots;
}
