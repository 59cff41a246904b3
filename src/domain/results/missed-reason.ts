// Why a scheduled run did not take place.
import type { TimeSpan } from '../checks/calendar.ts';
import type { Reason } from './result.ts';

/** What is known about this process. */
export interface MissedFacts {
  /** When it started, epoch ms by its current clock. */
  readonly startedAt: number;
  /** TimeSpan whose data a restore removed; null = none. */
  readonly rollback?: TimeSpan | null;
  /** The last jump of the clock forward; null = none. */
  readonly clockSet: TimeSpan | null;
  /** Whether the previous run of the check was still in progress. */
  readonly isOverlap?: boolean;
  /** Whether the store could not be used during a period. */
  readonly isStoreAway: (from: number, to: number) => boolean;
}

/** How long before a jump of the clock a run may have been due without being started, ms. */
const noticedMs = 1000;

/**
 * The reason that a run did not take place in its period, which may be a single instant. A known cause comes before the
 * assumption that this process was too busy.
 */
export function missedReason({ from, to }: TimeSpan, facts: MissedFacts): Reason {
  const { startedAt, rollback = null, clockSet, isOverlap = false, isStoreAway } = facts;
  if (rollback !== null && from >= rollback.from && from <= rollback.to) return 'rollback';
  if (clockSet !== null && to >= clockSet.from - noticedMs && from <= clockSet.to) return 'clock';
  if (to < startedAt || (from < to && to === startedAt)) return 'downtime';
  if (isOverlap) return 'overlap';
  return isStoreAway(from, to) ? 'store' : 'overload';
}

/** A shorter downtime is a restart, and a smaller change of the clock is its correction, ms. */
const longMs = 60_000;

/**
 * The period by which the clock was set forward while this process was stopped, epoch ms; null = it was not, or that is
 * not known. A restart alone is part of it.
 */
export function clockSetWhileStopped({
  from,
  to,
  stoppedMs,
}: TimeSpan & { readonly stoppedMs: number | null }): TimeSpan | null {
  if (stoppedMs === null || to - from - stoppedMs < longMs) return null;
  return { from: stoppedMs < longMs ? from : from + stoppedMs, to };
}
