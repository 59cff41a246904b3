// Sends the digests of alert storms when they are due, and ends storms that are over, each account in one durable commit
// (docs/decisions/0127).
import type { Clock } from '#lib/clock.ts';

interface JudgedStorm {
  readonly accountId: string;
  readonly digests: number;
  readonly isOver: boolean;
}

export interface JudgeStormsOptions {
  readonly store: {
    current(after: string | null, max: number): Promise<readonly string[]>;
    judge(accountId: string, now: number): Promise<JudgedStorm>;
  };
  readonly clock: Clock;
  readonly onJudged: (judged: JudgedStorm) => void;
}

/** Accounts per tick. */
const atOnce = 20;
const betweenMs = 20;
const restMs = 1000;

/** One tick evaluates some accounts. Returns the delay until the next one, ms. */
export function createJudgeStorms({ store, clock, onJudged }: JudgeStormsOptions): () => Promise<number> {
  let after: string | null = null;
  return async () => {
    const accounts = await store.current(after, atOnce);
    for (const accountId of accounts) {
      // The next tick continues after an account that fails.
      after = accountId;
      const judged = await store.judge(accountId, clock.now());
      if (judged.digests > 0 || judged.isOver) onJudged(judged);
    }
    if (accounts.length === atOnce) return betweenMs;
    after = null;
    return restMs;
  };
}
