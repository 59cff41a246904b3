// A semaphore: bounded concurrency in first-come order.

/** Slots for concurrent work. */
export interface Lanes {
  /** Waits for a slot; resolves with a function that frees it. */
  enter(): Promise<() => void>;
  /** Number of slots in use. */
  readonly inside: number;
  /** Number of waiting callers. */
  readonly waiting: number;
}

/** @param most number of slots, at least 1 */
export function createLanes(max: number): Lanes {
  const queue: ((leave: () => void) => void)[] = [];
  let inside = 0;
  const admit = (): void => {
    while (inside < max) {
      const next = queue.shift();
      if (next === undefined) return;
      inside++;
      let isOut = false;
      next(() => {
        if (isOut) return;
        isOut = true;
        inside--;
        admit();
      });
    }
  };
  return {
    enter: () =>
      new Promise((resolve) => {
        queue.push(resolve);
        admit();
      }),
    get inside() {
      return inside;
    },
    get waiting() {
      return queue.length;
    },
  };
}
