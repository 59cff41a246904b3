// Takes published status pages up into the memory of a process that serves them.

/** A stored snapshot, as far as it tells whether it changed. */
export interface StoredSnapshot {
  readonly accountId: string;
  readonly pageId: string;
  /** Epoch ms. */
  readonly builtAt: number;
  /** When its page was changed: it may have become private, whether or not anything can be built. */
  readonly changedAt: number;
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
  const known = new Map<string, string>();
  return async () => {
    const stored = await list();
    const present = new Set(stored.map(({ pageId }) => pageId));
    for (const pageId of known.keys()) {
      if (present.has(pageId)) continue;
      known.delete(pageId);
      remove(pageId);
    }
    for (const snapshot of inTurn(stored.filter((each) => known.get(each.pageId) !== versionOf(each)))) {
      if (await take(snapshot)) known.set(snapshot.pageId, versionOf(snapshot));
    }
    return everyMs;
  };
}

const versionOf = ({ builtAt, changedAt }: StoredSnapshot): string => `${builtAt} ${changedAt}`;

/** The first page of each account, then the second ones: large pages of an account delay those of others less. */
function inTurn(changed: readonly StoredSnapshot[]): StoredSnapshot[] {
  const byAccount = Map.groupBy(changed, ({ accountId }) => accountId);
  const ranked = [...byAccount.values()].flatMap((own) => own.map((snapshot, rank) => ({ snapshot, rank })));
  return ranked.sort((one, other) => one.rank - other.rank).map(({ snapshot }) => snapshot);
}
