// The schedule of a check.
import type { CheckGroup } from './check-group.ts';
import { type Check, namedLocations } from './check.ts';
import { effectiveCheck } from './effective-check.ts';
import { intervalMs, nextSlot, phaseMs } from './slot.ts';

/** When and where a check runs on schedule. */
export interface Schedule {
  readonly intervalMs: number;
  /** Phase within the interval, from 0 to below the interval. */
  readonly phaseMs: number;
  /** Run location codes; empty = this server's own. */
  readonly locations: readonly string[];
  readonly runParallel: boolean;
}

/**
 * The schedule of a check in its group; null while either is deactivated. Derived from the two records alone, so that
 * deactivation, restarts and edits of other fields never shift a check (design: slots, not timers).
 */
export function scheduleOf(check: Check, group: CheckGroup | null): Schedule | null {
  const effective = effectiveCheck(check, group);
  const { activated, runParallel } = effective;
  if (!activated) return null;
  const interval = intervalMs(check.frequency, check.frequencyOffset);
  const isFixed = check.frequency > 0 && check.frequencyOffset !== null;
  const phase = isFixed ? ((check.frequencyOffset ?? 0) * 1000) % interval : phaseMs(check.id, interval);
  return { intervalMs: interval, phaseMs: phase, locations: namedLocations(effective), runParallel };
}

/** The first slot after `now` (epoch ms); null for heartbeats, and while check or group is deactivated. */
export function nextRunOf(check: Check, group: CheckGroup | null, now: number): number | null {
  const schedule = check.checkType === 'HEARTBEAT' ? null : scheduleOf(check, group);
  return schedule === null ? null : nextSlot(now + 1, schedule.intervalMs, schedule.phaseMs);
}
