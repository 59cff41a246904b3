// Beside the path: when the machine's clock is set, everything that waits keeps its distance in real time
// (docs/decisions/0016, 0024).
import { clockSetMs, type FollowedClock } from '#lib/followed-clock.ts';

/** What following is joined with. */
export interface FollowClockOptions {
  readonly store: { moveWithClock(byMs: number, now: number): Promise<void> };
  readonly clock: FollowedClock;
  readonly onClockSet?: (byMs: number) => void;
}

const pauseMs = 200;
/** Drift is taken over a little at a turn, so that nobody sees a step. */
const driftMs = 5;

/** One turn: takes over drift, follows a jump. Answers in how many ms the next is wanted. */
export function createFollowClock({ store, clock, onClockSet }: FollowClockOptions): () => Promise<number> {
  return async () => {
    const byMs = clock.aheadMs();
    if (Math.abs(byMs) < clockSetMs) {
      clock.move(Math.max(-driftMs, Math.min(driftMs, byMs)));
      return pauseMs;
    }
    // Whoever reads the clock in between must see rows as too early, never as overdue: so back before the rows, and
    // forward after them.
    if (byMs > 0) {
      await store.moveWithClock(byMs, clock.now() + byMs);
      clock.move(byMs);
    } else {
      clock.move(byMs);
      await store.moveWithClock(byMs, clock.now()).catch((error: unknown) => {
        clock.move(-byMs);
        throw error;
      });
    }
    onClockSet?.(byMs);
    return pauseMs;
  };
}
