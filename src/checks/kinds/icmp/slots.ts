// Bounded concurrency with a queue and a wait limit.

/** A concurrency limit. */
export interface Slots {
  /** Runs the work when there is capacity. Returns null if it waited longer than `waitMs`. */
  take<Result>(waitMs: number, work: () => Promise<Result>): Promise<Result | null>;
}

/** @param maxAtOnce maximum concurrency */
export function createSlots(maxAtOnce: number): Slots {
  let working = 0;
  const waiting = new Set<() => void>();
  /** Hands the slot to the task that has waited longest. */
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
      if (working < maxAtOnce) working++;
      else if (!(await hasSlot(waiting, waitMs))) return null;
      try {
        return await work();
      } finally {
        handOver();
      }
    },
  };
}

function hasSlot(waiting: Set<() => void>, waitMs: number): Promise<boolean> {
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
