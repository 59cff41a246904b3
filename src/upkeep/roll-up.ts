// Rolls up results by hour, as soon as an hour has ended (docs/decisions/0040).
import type { Clock } from '#lib/clock.ts';

export interface RollUpOptions {
  readonly store: { tick(now: number, resultRetentionMs: number): Promise<{ readonly isThrough: boolean }> };
  readonly clock: Clock;
  readonly retentionDays: number;
}

/** Pause between two ticks, so that monitoring has priority, ms. */
const pauseMs = 30;
/** Delay while nothing is due, because late results may arrive, ms. */
const restMs = 60_000;
const dayMs = 86_400_000;

/** One tick. Returns the delay until the next one, ms. */
export function createRollUp({ store, clock, retentionDays }: RollUpOptions): () => Promise<number> {
  return async () => {
    const { isThrough } = await store.tick(clock.now(), retentionDays * dayMs);
    return isThrough ? restMs : pauseMs;
  };
}
