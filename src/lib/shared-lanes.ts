// So many at once and no more, shared between those who ask: nobody takes all, and who has least comes first.

/** Room for a few of several. */
export interface SharedLanes {
  /**
   * Resolves when there is room, with how to leave it again; with null when the signal ends the waiting.
   *
   * @param who of whom it is one
   */
  enter(who: string, signal: AbortSignal): Promise<(() => void) | null>;
  /** Those that have room now. */
  readonly inside: number;
}

interface Waiting {
  readonly who: string;
  readonly admit: (leave: () => void) => void;
}

/**
 * Somebody may have more than `ofOne` only while nobody else waits, and never the last place. Of those who wait, whoever has
 * least inside is next, and of several the one that has waited longest.
 *
 * @param most from 1
 * @param ofOne from 1 to `most`
 */
export function createSharedLanes(most: number, ofOne: number): SharedLanes {
  const waiting = new Set<Waiting>();
  const insideOf = new Map<string, number>();
  let inside = 0;
  const countOf = (who: string): number => insideOf.get(who) ?? 0;
  const leaveOnce = (who: string): (() => void) => {
    let isOut = false;
    return () => {
      if (isOut) return;
      isOut = true;
      inside--;
      if (countOf(who) === 1) insideOf.delete(who);
      else insideOf.set(who, countOf(who) - 1);
      admit();
    };
  };
  const next = (): Waiting | undefined => {
    const [first, ...others] = waiting;
    if (first === undefined || inside >= most) return undefined;
    const least = others.reduce((one, other) => (countOf(other.who) < countOf(one.who) ? other : one), first);
    if (countOf(least.who) < ofOne) return least;
    const isAlone = others.every(({ who }) => who === first.who);
    return isAlone && most - inside > 1 ? least : undefined;
  };
  const admit = (): void => {
    for (let one = next(); one !== undefined; one = next()) {
      waiting.delete(one);
      inside++;
      insideOf.set(one.who, countOf(one.who) + 1);
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
          // Others may have waited for it only because it did.
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
