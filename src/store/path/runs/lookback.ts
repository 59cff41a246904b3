// How far back a claim scans for due rows. Rows that were due and claimed remain as dead entries at the start of the
// index until vacuum: every claim would scan a hundred thousand of them (docs/decisions/0032).

/** Result of a scan; times are epoch ms. */
interface FoundRuns {
  readonly runs: readonly { readonly dueAt: number }[];
}

/** Remembers when everything was last scanned. */
export interface Lookback {
  /**
   * The result of `ask`: rows due from a second ago on; once a second, and if nothing was found, from the start.
   * @param now epoch ms, as `ask` compares rows
   * @param ask finds runs that are due from a time (epoch ms) on, oldest first
   */
  find<Found extends FoundRuns>(now: number, ask: (from: number) => Promise<Found>): Promise<Found>;
}

/** An older row is claimed only in a backlog, or because it was released. */
const shortMs = 1000;
const everyMs = 1000;
const begin = 0;

export function createLookback(): Lookback {
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    async find(now, ask) {
      if (Math.abs(now - readAt) < everyMs) {
        const found = await ask(now - shortMs);
        if (found.runs.length > 0) return found;
      }
      const found = await ask(begin);
      const [oldest] = found.runs;
      // A backlog is processed from its start.
      const isBehind = oldest !== undefined && oldest.dueAt < now - shortMs;
      readAt = isBehind ? Number.NEGATIVE_INFINITY : now;
      return found;
    },
  };
}
