// Turns for checking passwords: known devices first, then addresses in turn, so that a flood of sign-ins leaves a place.
import { Refusal } from '../refusal.ts';

/** Whose turn it is. */
export interface Applicant {
  /** Those with the same name share their turns. */
  readonly name: string;
  /** Whether the browser belongs to the person, so that strangers cannot delay it. */
  readonly isKnown: boolean;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Limits the concurrent work on passwords. */
export interface HashingTurns {
  /** Waits for a turn and runs `work` in it. Refuses (`unavailable`) if too many are waiting. */
  run<Answer>(applicant: Applicant, work: () => Promise<Answer>): Promise<Answer>;
}

/** Bounds of the turns. */
export interface TurnBounds {
  readonly atOnce: number;
  /** Waiting strangers, and as many known devices. */
  readonly waitingMax: number;
  /** Waiting applicants of one name. */
  readonly ofOneMax: number;
}

interface Waiting {
  readonly applicant: Applicant;
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

/** The default bounds let an applicant wait for some seconds at most. */
export function createHashingTurns(
  { atOnce, waitingMax, ofOneMax }: TurnBounds = { atOnce: 4, waitingMax: 200, ofOneMax: 10 },
): HashingTurns {
  const [known, strangers] = [createLine(ofOneMax, waitingMax), createLine(ofOneMax, waitingMax)];
  let inside = 0;
  const admit = (): void => {
    while (inside < atOnce) {
      const next = known.next() ?? strangers.next();
      if (next === undefined) return;
      inside++;
      next.start();
    }
  };
  const enter = (applicant: Applicant): Promise<void> =>
    new Promise((start, refuse) => {
      const waiting = { applicant, start, refuse };
      if ((applicant.isKnown ? known : strangers).add(waiting)) admit();
      else refuse(tooMany());
    });
  return {
    async run(applicant, work) {
      await enter(applicant);
      try {
        return await work();
      } finally {
        inside--;
        admit();
      }
    },
  };
}

/** Waiting applicants; each name takes one turn after another. */
function createLine(ofOneMax: number, waitingMax: number) {
  const byName = new Map<string, Waiting[]>();
  let size = 0;
  return {
    /** false = the line is full. */
    add(waiting: Waiting): boolean {
      const { name } = waiting.applicant;
      const own = byName.get(name) ?? [];
      if (own.length >= ofOneMax) return false;
      if (size >= waitingMax && !makeRoom(own.length)) return false;
      size++;
      byName.set(name, [...own, waiting]);
      return true;
    },
    next(): Waiting | undefined {
      for (const [name, [first, ...others]] of byName) {
        byName.delete(name);
        if (others.length > 0) byName.set(name, others);
        size--;
        if (first?.applicant.signal.aborted === false) return first;
        first?.refuse(tooMany());
      }
      return undefined;
    },
  };

  /** Refuses the newest of a name that has more waiting than the newcomer would have. */
  function makeRoom(least: number): boolean {
    const crowded = [...byName.values()].find((each) => each.length > least + 1);
    crowded?.pop()?.refuse(tooMany());
    if (crowded !== undefined) size--;
    return crowded !== undefined;
  }
}

/** Refuses (`unavailable`) to wait for a place. */
export function tooMany(): Refusal {
  return new Refusal('unavailable', 'Too many sign-ins in progress. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  });
}
