// The schedule of a check and its slots.
import type { CheckGroup } from './check-group.ts';
import { type Check, namedLocations } from './check.ts';
import { effectiveCheck } from './effective-check.ts';

/** Interval of a check in ms: its frequency in minutes, or its offset in seconds if the frequency is 0. */
export function intervalMs(frequency: number, frequencyOffset: number | null): number {
  return frequency > 0 ? frequency * 60_000 : (frequencyOffset ?? 10) * 1000;
}

/** Phase of a check within its interval, ms: a hash of its ID spreads checks of the same interval. */
export function phaseMs(checkId: string, interval: number): number {
  return hash(checkId) % interval;
}

/** The first slot at or after `at` (epoch ms) of a check with that phase. */
export function nextSlot(at: number, interval: number, phase: number): number {
  return Math.ceil((at - phase) / interval) * interval + phase;
}

/** FNV-1a, 32 bits: stable across versions and machines, and good enough for a phase. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return value;
}

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
