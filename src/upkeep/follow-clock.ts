// Beside the path: when the machine's clock is set, everything that waits keeps its distance in real time
// (docs/decisions/0016).
import { clockSetMs, type FollowedClock } from '#lib/followed-clock.ts';

/** What following is joined with. */
export interface FollowClockOptions {
  readonly store: {
    moveWithClock(byMs: number, now: number, slept: { readonly ms: number; readonly after: number }): Promise<void>;
  };
  readonly clock: FollowedClock;
  /** Asks again what time it is, where the clock is kept by the database; null = by this machine. */
  readonly measureTime?: (() => Promise<void>) | null;
  readonly onClockSet?: (byMs: number) => void;
}

const pauseMs = 200;
/** Turns between two questions to a clock that is far away. */
const turnsPerMeasure = 10;
/** Drift is taken over a little at a turn, so that nobody sees a step. */
const driftMs = 5;

/** One turn: takes over drift, follows a jump. Answers in how many ms the next is wanted. */
export function createFollowClock(options: FollowClockOptions): () => Promise<number> {
  const { store, clock, onClockSet, measureTime = null } = options;
  let turns = 0;
  let awakeAt = clock.now();
  return async () => {
    // Without an answer the time that is known goes on; that the database is away is told by those that need it.
    if (measureTime !== null && turns++ % turnsPerMeasure === 0) await measureTime().catch(() => undefined);
    const byMs = clock.aheadMs();
    const slept = { ms: clock.sleptMs(), after: awakeAt };
    if (Math.abs(byMs) < clockSetMs) {
      clock.move(Math.max(-driftMs, Math.min(driftMs, byMs)));
      awakeAt = clock.now();
      return pauseMs;
    }
    // Whoever reads the clock in between must see rows as too early, never as overdue: so back before the rows, and
    // forward after them.
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
