// So many at once, shared by several owners: whoever has the fewest places comes before those who have more.

/** Room for a few, divided fairly. */
export interface FairLanes {
  /** Resolves when it is this owner's turn, with how to leave again; null = there was no room in time. */
  enter(owner: string): Promise<(() => void) | null>;
}

/** Told when it is let in, or that it has waited too long. */
type Waiter = (leave: (() => void) | null) => void;

/**
 * While several owners wait, the next place goes to one of those that have the fewest, and among them to the one that has waited
 * the longest since its last turn. Of one owner they are let in as they came.
 *
 * @param most from 1
 * @param waitMs how long somebody waits for room, ms
 */
export function createFairLanes(most: number, waitMs: number): FairLanes {
  /** Who has places, and how many. */
  const inside = new Map<string, number>();
  let taken = 0;
  /** Who waits: the owner whose turn it is stands first. Nobody is here for whom nobody waits. */
  const waiting = new Map<string, Set<Waiter>>();
  const insideOf = (owner: string): number => inside.get(owner) ?? 0;
  const leaveOf = (owner: string) => {
    let isOut = false;
    return (): void => {
      if (isOut) return;
      isOut = true;
      taken--;
      if (insideOf(owner) > 1) inside.set(owner, insideOf(owner) - 1);
      else inside.delete(owner);
      admit();
    };
  };
  const admit = (): void => {
    while (taken < most) {
      // What is sorted keeps its order where it is equal.
      const [first] = [...waiting].toSorted(([one], [other]) => insideOf(one) - insideOf(other));
      if (first === undefined) return;
      const [owner, queue] = first;
      const [next] = queue;
      if (next === undefined) return;
      queue.delete(next);
      waiting.delete(owner);
      if (queue.size > 0) waiting.set(owner, queue);
      taken++;
      inside.set(owner, insideOf(owner) + 1);
      next(leaveOf(owner));
    }
  };
  return {
    enter: (owner) =>
      new Promise((resolve) => {
        const queue = waiting.get(owner) ?? new Set();
        const late = setTimeout(() => {
          queue.delete(waiter);
          if (queue.size === 0) waiting.delete(owner);
          resolve(null);
        }, waitMs);
        const waiter: Waiter = (leave) => {
          clearTimeout(late);
          resolve(leave);
        };
        waiting.set(owner, queue.add(waiter));
        admit();
      }),
  };
}
