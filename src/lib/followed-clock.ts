// A clock that never jumps by itself: it runs with a steady one and is moved to the machine's time on purpose, so that
// whoever reads it sees a setting of the machine's clock only once everything that waits has been moved with it
// (docs/decisions/0016).
import { uptime } from 'node:os';
import type { Clock } from './clock.ts';

/** A jump of the machine's clock that was followed. Epoch ms. */
export interface ClockSet {
  readonly from: number;
  readonly to: number;
}

/** Time for one process. */
export interface FollowedClock extends Clock {
  /** How far the machine's clock is ahead of this one, whole ms; negative = behind. */
  aheadMs(): number;
  /** How long this machine has slept since this clock was moved, whole ms: others went on meanwhile, and nothing ran here. */
  sleptMs(): number;
  /** Moves this clock by whole ms. */
  move(byMs: number): void;
  /** The last jump forward; null after none, or after one back. */
  readonly lastSet: ClockSet | null;
}

/**
 * @param clock the machine's, which people and time servers set
 * @param steadyNow a clock that is never set, and stands still while the machine sleeps, ms
 * @param upMs the same, but it goes on while the machine sleeps
 */
export function createFollowedClock(
  clock: Clock,
  steadyNow: () => number,
  upMs: () => number = () => uptime() * 1000,
): FollowedClock {
  let offset = clock.now() - steadyNow();
  let asleepMs = upMs() - steadyNow();
  let lastSet: ClockSet | null = null;
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
    },
    get lastSet() {
      return lastSet;
    },
  };
}

/** A difference that is a setting of the clock; a smaller one is its slow correction. */
export const clockSetMs = 2000;
