// So many at once and no more: what has to wait does so in order, and not for ever.

/** Takes turns. */
export interface Turns {
  /** The work when its turn has come; null when it had not within `waitMs`. */
  take<Result>(waitMs: number, work: () => Promise<Result>): Promise<Result | null>;
}

/** @param most how many may work at once */
export function createTurns(most: number): Turns {
  let working = 0;
  const waiting = new Set<() => void>();
  /** Whoever waits longest takes over the place of who has ended. */
  const handOver = (): void => {
    const [first] = waiting;
    if (first === undefined) {
      working--;
      return;
    }
    waiting.delete(first);
    first();
  };
  return {
    async take(waitMs, work) {
      if (working < most) working++;
      else if (!(await isTurn(waiting, waitMs))) return null;
      try {
        return await work();
      } finally {
        handOver();
      }
    },
  };
}

function isTurn(waiting: Set<() => void>, waitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const begin = (): void => {
    clearTimeout(timer);
    resolve(true);
  };
  const timer = setTimeout(() => {
    waiting.delete(begin);
    resolve(false);
  }, waitMs);
  waiting.add(begin);
  return promise;
}
