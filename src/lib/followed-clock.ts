// A clock without jumps: it runs with a monotonic clock and is moved to the machine's time explicitly, so that readers
// see a change of the machine's clock only after all waiting work was moved with it (docs/decisions/0016).
import { uptime } from 'node:os';
import type { Clock } from './clock.ts';

/** A followed jump of the machine's clock. Epoch ms. */
export interface ClockSet {
  readonly from: number;
  readonly to: number;
}

export interface FollowedClock extends Clock {
  /** How far the machine's clock is ahead of this one, whole ms; negative = behind. */
  aheadMs(): number;
  /** How long this machine was suspended since this clock was moved, whole ms: other machines continued meanwhile. */
  sleptMs(): number;
  /** Moves this clock by whole ms. */
  move(byMs: number): void;
  /** Notes a jump forward before this clock began. */
  noteSet(jump: ClockSet): void;
  /** The last jump forward; null if there was none, or the last jump was backward. */
  readonly lastSet: ClockSet | null;
  /** How far jumps have set this clock back in total, ms: earlier readings are that much ahead. */
  readonly setBackMs: number;
}

/**
 * @param clock the machine's clock, which people and time servers set
 * @param steadyNow a monotonic clock that stops during suspension, ms
 * @param upMs a monotonic clock that continues during suspension
 */
export function createFollowedClock(
  clock: Clock,
  steadyNow: () => number,
  upMs: () => number = () => uptime() * 1000,
): FollowedClock {
  let offset = clock.now() - steadyNow();
  let asleepMs = upMs() - steadyNow();
  let lastSet: ClockSet | null = null;
  let setBackMs = 0;
  const now = (): number => Math.round(steadyNow() + offset);
  return {
    now,
    aheadMs: () => Math.round(clock.now() - steadyNow() - offset),
    sleptMs() {
      const sleptMs = Math.round(upMs() - steadyNow() - asleepMs);
      return sleptMs < clockSetMs ? 0 : sleptMs;
    },
    move(byMs) {
      const from = now();
      offset += byMs;
      asleepMs = upMs() - steadyNow();
      if (Math.abs(byMs) >= clockSetMs) lastSet = byMs > 0 ? { from, to: from + byMs } : null;
      if (byMs <= -clockSetMs) setBackMs -= byMs;
    },
    noteSet(jump) {
      lastSet = jump;
    },
    get lastSet() {
      return lastSet;
    },
    get setBackMs() {
      return setBackMs;
    },
  };
}

/** Minimum difference that counts as a jump; smaller ones are gradual correction. */
export const clockSetMs = 2000;
