// A fair semaphore: bounded concurrency shared between owners, of which the one with the least slots in use comes
// first.

/** Slots shared by several owners. */
export interface SharedLanes {
  /**
   * Waits for a slot; resolves with a function that frees it, or with null if the signal aborts.
   * @param who the owner
   */
  enter(who: string, signal: AbortSignal): Promise<(() => void) | null>;
  /** Number of slots in use. */
  readonly inside: number;
}

interface Waiting {
  readonly who: string;
  readonly admit: (leave: () => void) => void;
}

/**
 * An owner may use more than `ofOne` slots only while no one else waits, and never the last slot. Among waiting owners,
 * the one with the fewest slots in use is next, then the one served longest ago; within an owner, the oldest request.
 * @param most number of slots, at least 1
 * @param ofOne from 1 to `most`; if equal to `most`, no one waits while there is a free slot
 */
export function createSharedLanes(max: number, ofOne: number): SharedLanes {
  const waiting = new Set<Waiting>();
  const shares = createShares();
  let inside = 0;
  const leaveOnce = (who: string): (() => void) => {
    let isOut = false;
    return () => {
      if (isOut) return;
      isOut = true;
      inside--;
      shares.giveBack(who);
      admit();
      if (inside === 0 && waiting.size === 0) shares.forgetOrder();
    };
  };
  const next = (): Waiting | undefined => {
    if (inside >= max) return undefined;
    const [first, ...others] = waiting;
    if (first === undefined) return undefined;
    const least = others.reduce((one, other) => (shares.comesBefore(other.who, one.who) ? other : one), first);
    if (shares.of(least.who) < ofOne) return least;
    const isAlone = others.every(({ who }) => who === first.who);
    return isAlone && max - inside > 1 ? least : undefined;
  };
  const admit = (): void => {
    for (let one = next(); one !== undefined; one = next()) {
      waiting.delete(one);
      inside++;
      shares.take(one.who);
      one.admit(leaveOnce(one.who));
    }
  };
  return {
    enter: (who, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(null);
        const giveUp = (): void => {
          waiting.delete(one);
          resolve(null);
          // Others may have waited only because of it.
          admit();
        };
        const one: Waiting = {
          who,
          admit: (leave) => {
            signal.removeEventListener('abort', giveUp);
            resolve(leave);
          },
        };
        signal.addEventListener('abort', giveUp, { once: true });
        waiting.add(one);
        return admit();
      }),
    get inside() {
      return inside;
    },
  };
}

/** Slots in use and last turn of each owner, counted in turns. */
function createShares() {
  const insideOf = new Map<string, number>();
  const lastServed = new Map<string, number>();
  let served = 0;
  const of = (who: string): number => insideOf.get(who) ?? 0;
  return {
    of,
    take(who: string): void {
      insideOf.set(who, of(who) + 1);
      lastServed.set(who, ++served);
    },
    giveBack(who: string): void {
      if (of(who) === 1) insideOf.delete(who);
      else insideOf.set(who, of(who) - 1);
    },
    comesBefore(one: string, other: string): boolean {
      const more = of(one) - of(other);
      return more < 0 || (more === 0 && (lastServed.get(one) ?? 0) < (lastServed.get(other) ?? 0));
    },
    forgetOrder: (): void => lastServed.clear(),
  };
}
