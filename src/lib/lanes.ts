// So many at once and no more; the others wait in the order in which they came.

/** Room for a few. */
export interface Lanes {
  /** Resolves when there is room, with how to leave it again. */
  enter(): Promise<() => void>;
  /** Those that have room now. */
  readonly inside: number;
  /** Those that wait. */
  readonly waiting: number;
}

/** @param most from 1 */
export function createLanes(most: number): Lanes {
  const queue: ((leave: () => void) => void)[] = [];
  let inside = 0;
  const admit = (): void => {
    while (inside < most) {
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
