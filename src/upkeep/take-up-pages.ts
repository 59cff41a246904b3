// Takes published status pages up into the memory of a process that serves them.

/** A stored snapshot, as far as it tells whether it changed. */
export interface StoredSnapshot {
  readonly accountId: string;
  readonly pageId: string;
  /** Epoch ms. */
  readonly builtAt: number;
}

export interface TakeUpOptions {
  readonly list: () => Promise<readonly StoredSnapshot[]>;
  /** Reads and renders a page, and puts it into the site; false = it no longer exists. */
  readonly take: (snapshot: StoredSnapshot) => Promise<boolean>;
  readonly remove: (pageId: string) => void;
}

/** Time between two looks, ms: a change appears within 2 s of being built. */
const everyMs = 1000;

/** One tick: takes up what changed. Returns the delay until the next one, ms. */
export function createTakeUpPages({ list, take, remove }: TakeUpOptions): () => Promise<number> {
  const known = new Map<string, number>();
  return async () => {
    const stored = await list();
    const present = new Set(stored.map(({ pageId }) => pageId));
    for (const pageId of known.keys()) {
      if (present.has(pageId)) continue;
      known.delete(pageId);
      remove(pageId);
    }
    for (const snapshot of stored) {
      const { pageId, builtAt } = snapshot;
      if (known.get(pageId) === builtAt) continue;
      if (await take(snapshot)) known.set(pageId, builtAt);
    }
    return everyMs;
  };
}
