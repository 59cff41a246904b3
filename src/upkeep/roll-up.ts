// Beside the path: results become roll-ups, hour by hour, as soon as an hour has ended (docs/decisions/0040).
import type { Clock } from '#lib/clock.ts';

/** What rolling up is joined with. */
export interface RollUpOptions {
  readonly store: { turn(now: number, resultsKeptMs: number): Promise<{ readonly isThrough: boolean }> };
  readonly clock: Clock;
  readonly retentionDays: number;
}

/** Between two turns, so that the path always comes first, ms. */
const pauseMs = 30;
/** While nothing is due: late results may come at any time, ms. */
const restMs = 60_000;
const dayMs = 86_400_000;

/** One turn. Answers in how many ms the next is wanted. */
export function createRollUp({ store, clock, retentionDays }: RollUpOptions): () => Promise<number> {
  return async () => {
    const { isThrough } = await store.turn(clock.now(), retentionDays * dayMs);
    return isThrough ? restMs : pauseMs;
  };
}
