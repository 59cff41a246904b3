// Shifts due times when the clock is set, so that waiting work keeps its distance in real time (docs/decisions/0016).
import { clockSetMs, type FollowedClock } from '#lib/followed-clock.ts';

export interface FollowClockOptions {
  readonly store: {
    moveWithClock(byMs: number, now: number, slept: { readonly ms: number; readonly after: number }): Promise<void>;
  };
  readonly clock: FollowedClock;
  /** Reads the time of the database's clock; null = this machine's clock is used. */
  readonly measureTime?: (() => Promise<void>) | null;
  readonly onClockSet?: (byMs: number) => void;
}

const pauseMs = 200;
/** Ticks between two reads of a remote clock. */
const ticksPerMeasure = 10;
/** Drift is corrected gradually, without visible steps. */
const driftMs = 5;

/** One tick: corrects drift and follows a jump. Returns the delay until the next tick, ms. */
export function createFollowClock(options: FollowClockOptions): () => Promise<number> {
  const { store, clock, onClockSet, measureTime = null } = options;
  let ticks = 0;
  let awakeAt = clock.now();
  return async () => {
    // Without a response the known time continues; others report that the database is unavailable.
    if (measureTime !== null && ticks++ % ticksPerMeasure === 0) await measureTime().catch(() => undefined);
    const byMs = clock.aheadMs();
    const slept = { ms: clock.sleptMs(), after: awakeAt };
    if (Math.abs(byMs) < clockSetMs) {
      clock.move(Math.max(-driftMs, Math.min(driftMs, byMs)));
      awakeAt = clock.now();
      return pauseMs;
    }
    // Concurrent readers must see rows as too early, never as overdue: set the clock back before the rows, and forward
    // after them.
    if (byMs > 0) {
      await store.moveWithClock(byMs, clock.now() + byMs, slept);
      clock.move(byMs);
    } else {
      clock.move(byMs);
      await store.moveWithClock(byMs, clock.now(), slept).catch((error: unknown) => {
        clock.move(-byMs);
        throw error;
      });
    }
    awakeAt = clock.now();
    onClockSet?.(byMs);
    return pauseMs;
  };
}
