// How far back a claim looks for due rows. What was due and has been taken still lies at the begin of the index, dead,
// until it is cleared away: a hundred thousand entries that every claim would pass (docs/decisions/0051).

/** Remembers from claim to claim when everything was looked at. */
export interface LookBack {
  /**
   * The due rows that `ask` finds: from a second ago on, once a second and when there are none from the very begin.
   *
   * @param now epoch ms, as `ask` judges rows
   * @param ask finds rows that are due from an instant (epoch ms) on, the oldest first
   * @param dueAt of a row, epoch ms
   */
  find<Row>(now: number, ask: (from: number) => Promise<Row[]>, dueAt: (row: Row) => number): Promise<Row[]>;
}

/** Later than this a row is taken only in a backlog, or because it was given back. */
const shortMs = 1000;
const everyMs = 1000;
const begin = 0;

export function createLookBack(): LookBack {
  let lookedAt = Number.NEGATIVE_INFINITY;
  return {
    async find(now, ask, dueAt) {
      if (Math.abs(now - lookedAt) < everyMs) {
        const rows = await ask(now - shortMs);
        if (rows.length > 0) return rows;
      }
      const rows = await ask(begin);
      const [oldest] = rows;
      // A backlog is worked off from its begin.
      const isBehind = oldest !== undefined && dueAt(oldest) < now - shortMs;
      lookedAt = isBehind ? Number.NEGATIVE_INFINITY : now;
      return rows;
    },
  };
}
