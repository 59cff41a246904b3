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
 * least inside is next, of several the one whose turn was longest ago, and of what that one asked for the oldest.
 *
 * @param most from 1
 * @param ofOne from 1 to `most`; where it is `most`, nobody waits while there is room
 */
export function createSharedLanes(most: number, ofOne: number): SharedLanes {
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
      if (inside === 0 && waiting.size === 0) shares.forgetTurns();
    };
  };
  const next = (): Waiting | undefined => {
    if (inside >= most) return undefined;
    const [first, ...others] = waiting;
    if (first === undefined) return undefined;
    const least = others.reduce((one, other) => (shares.comesBefore(other.who, one.who) ? other : one), first);
    if (shares.of(least.who) < ofOne) return least;
    const isAlone = others.every(({ who }) => who === first.who);
    return isAlone && most - inside > 1 ? least : undefined;
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

/** What each has inside, and when it had its last turn, counted in turns. */
function createShares() {
  const insideOf = new Map<string, number>();
  const turnOf = new Map<string, number>();
  let turns = 0;
  const of = (who: string): number => insideOf.get(who) ?? 0;
  return {
    of,
    take(who: string): void {
      insideOf.set(who, of(who) + 1);
      turnOf.set(who, ++turns);
    },
    giveBack(who: string): void {
      if (of(who) === 1) insideOf.delete(who);
      else insideOf.set(who, of(who) - 1);
    },
    comesBefore(one: string, other: string): boolean {
      const more = of(one) - of(other);
      return more < 0 || (more === 0 && (turnOf.get(one) ?? 0) < (turnOf.get(other) ?? 0));
    },
    forgetTurns: (): void => turnOf.clear(),
  };
}
