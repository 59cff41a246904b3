// How far back a claim looks for due rows. What was due and has been taken still lies at the begin of the index, dead,
// until it is cleared away: a hundred thousand entries that every claim would pass (docs/decisions/0032).

/** What a look found; instants are epoch ms. */
interface FoundRuns {
  readonly runs: readonly { readonly dueAt: number }[];
}

/** Remembers from claim to claim when everything was looked at. */
export interface LookBack {
  /**
   * What `ask` finds: due from a second ago on, once a second and when there is nothing from the very begin.
   *
   * @param now epoch ms, as `ask` judges rows
   * @param ask finds runs that are due from an instant (epoch ms) on, the oldest first
   */
  find<Found extends FoundRuns>(now: number, ask: (from: number) => Promise<Found>): Promise<Found>;
}

/** Later than this a row is taken only in a backlog, or because it was given back. */
const shortMs = 1000;
const everyMs = 1000;
const begin = 0;

export function createLookBack(): LookBack {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    async find(now, ask) {
      if (Math.abs(now - lookedAt) < everyMs) {
        const found = await ask(now - shortMs);
        if (found.runs.length > 0) return found;
      }
      const found = await ask(begin);
      const [oldest] = found.runs;
      // A backlog is worked off from its begin.
      const isBehind = oldest !== undefined && oldest.dueAt < now - shortMs;
      lookedAt = isBehind ? Number.NEGATIVE_INFINITY : now;
      return found;
    },
  };
}
