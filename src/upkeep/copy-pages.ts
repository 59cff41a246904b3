// Copies public status pages to a place that outlives this installation: one process at a time, accounts in turn.
import { type CopiedPage, mostCopiedBytes, type PageCopiesState } from '#domain/status-pages/page-copies.ts';
import { type Clock, isLeased } from '#lib/clock.ts';
import { errorMessage } from '#lib/errors.ts';

interface CopyLeaseOptions {
  readonly store: {
    state(): Promise<PageCopiesState | null>;
    /** false = another process was first. */
    move(before: PageCopiesState | null, after: PageCopiesState): Promise<boolean>;
  };
  readonly owner: string;
  readonly clock: Clock;
}

interface CopyLease {
  /** Takes the lease, or renews it before it ends; false = another process has it. */
  keep(): Promise<boolean>;
  /** Changes when this process takes the lease over: others may have written meanwhile. */
  readonly term: number;
  /** Notes why copies fail; null = they succeed. Returns whether that is news. */
  note(error: string | null): Promise<boolean>;
}

/** Every request to a place ends sooner than a lease does, ms. */
const leaseMs = 30_000;
/** How long before its end a lease is renewed, ms. */
const renewMs = 18_000;

export function createCopyLease({ store, owner, clock }: CopyLeaseOptions): CopyLease {
  let held: PageCopiesState | null = null;
  let term = 0;
  let waiting: Promise<unknown> = Promise.resolve();
  /** Changes of the state follow each other: each names the one before. */
  const inTurn = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const done = waiting.then(work);
    waiting = done.catch(() => undefined);
    return done;
  };
  const isHeld = (now: number): boolean =>
    held !== null && isLeased(held.leasedUntil, now, leaseMs) && held.leasedUntil - now > renewMs;
  const renew = async (): Promise<boolean> => {
    const now = clock.now();
    if (isHeld(now)) return true;
    held = null;
    const before = await store.state();
    if (before !== null && before.owner !== owner && isLeased(before.leasedUntil, now, leaseMs)) return false;
    const { failingSince, error } = before ?? { failingSince: null, error: null };
    const after = { owner, leasedUntil: now + leaseMs, failingSince, error };
    if (await store.move(before, after)) {
      held = after;
      if (before?.owner !== owner) term++;
    }
    return held !== null;
  };
  return {
    get term() {
      return term;
    },
    keep: () => (isHeld(clock.now()) ? Promise.resolve(true) : inTurn(renew)),
    note: (error) =>
      inTurn(async () => {
        if (held === null || held.error === error) return false;
        const isNews = (held.error === null) !== (error === null);
        const failingSince = error === null ? null : (held.failingSince ?? clock.now());
        const after: PageCopiesState = { ...held, failingSince, error };
        held = (await store.move(held, after)) ? after : null;
        return isNews && held !== null;
      }),
  };
}

export interface CopyPagesOptions {
  readonly lease: CopyLease;
  /** All pages that may be copied. */
  readonly pages: () => Promise<readonly CopiedPage[]>;
  readonly place: {
    /** Addresses of the pages that have copies there. Forgets what was known of the place. */
    urls(): Promise<readonly string[]>;
    /** Writes what changed of a page; returns its size in bytes. null = the page is not public, and nothing was written. */
    copy(page: CopiedPage, mostBytes: number): Promise<number | null>;
    /** Removes the copy of a page. */
    remove(url: string): Promise<void>;
  };
  /** How old the time of a copy may become while its content stays the same, ms. */
  readonly renewEveryMs: number;
  readonly clock: Clock;
  /** Called when copies begin to fail, and when they succeed again (null). */
  readonly onNews: (error: string | null) => void;
}

/** A copy that this process made. */
interface Copied {
  readonly version: string;
  readonly builtAt: number;
  /** null = the page is not public. */
  readonly bytes: number | null;
}

interface Failure {
  readonly count: number;
  readonly retryAt: number;
  readonly error: string;
}

/** What this process knows of a place while it has the lease. */
interface Known {
  /** Addresses with copies. */
  readonly urls: Set<string>;
  /** By page. */
  readonly copied: Map<string, Copied>;
  /** By address. */
  readonly failures: Map<string, Failure>;
}

/** Time between two looks, ms. */
const everyMs = 1000;
/** How long a tick works before the next one looks for changes, ms. */
const tickMs = 2000;
/** Pages that fail one after the other before a place is left alone for a while. */
const mostFailures = 3;
const [firstRetryMs, lastRetryMs] = [1000, 60_000];

/** One tick. Returns the delay until the next one, ms. */
export function createCopyPages(options: CopyPagesOptions): () => Promise<number> {
  const { lease, place, clock } = options;
  let known: Known | null = null;
  let term = lease.term;
  return async () => {
    if (!(await lease.keep())) {
      known = null;
      return everyMs;
    }
    if (lease.term !== term) known = null;
    ({ term } = lease);
    try {
      known ??= { urls: new Set(await place.urls()), copied: new Map(), failures: new Map() };
    } catch (error) {
      await note(options, errorMessage(error));
      return everyMs;
    }
    const pages = await options.pages();
    forget(known, pages);
    const startedAt = performance.now();
    const isOver = (): boolean => performance.now() - startedAt > tickMs;
    let failedInARow = 0;
    for (const { url, run } of [...removals(known, pages, options), ...copies(known, pages, options)]) {
      if (clock.now() < (known.failures.get(url)?.retryAt ?? 0)) continue;
      if (!(await lease.keep()) || lease.term !== term) {
        known = null;
        return everyMs;
      }
      failedInARow = (await succeeds(known, url, run, clock)) ? 0 : failedInARow + 1;
      // The next tick knows of later changes.
      if (failedInARow >= mostFailures || isOver()) break;
    }
    const [failure] = known.failures.values();
    await note(options, failure?.error ?? null);
    return isOver() && failedInARow === 0 ? 0 : everyMs;
  };
}

async function note({ lease, onNews }: CopyPagesOptions, error: string | null): Promise<void> {
  if (await lease.note(error)) onNews(error);
}

async function succeeds({ failures }: Known, url: string, run: Task['run'], clock: Clock): Promise<boolean> {
  try {
    await run();
    failures.delete(url);
    return true;
  } catch (error) {
    const count = (failures.get(url)?.count ?? 0) + 1;
    const retryAt = clock.now() + Math.min(firstRetryMs * 2 ** (count - 1), lastRetryMs);
    failures.set(url, { count, retryAt, error: errorMessage(error) });
    return false;
  }
}

/** Forgets pages that no longer exist. */
function forget({ copied, failures, urls }: Known, pages: readonly CopiedPage[]): void {
  const ids = new Set(pages.map(({ pageId }) => pageId));
  for (const id of copied.keys()) if (!ids.has(id)) copied.delete(id);
  const present = new Set(pages.map(({ url }) => url));
  for (const url of failures.keys()) if (!present.has(url) && !urls.has(url)) failures.delete(url);
}

/** Work on the copy of one page. */
interface Task {
  readonly url: string;
  readonly run: () => Promise<void>;
}

/** Removes copies at addresses that no page has. */
function removals({ urls }: Known, pages: readonly CopiedPage[], { place }: CopyPagesOptions): Task[] {
  const present = new Set(pages.map(({ url }) => url));
  const gone = [...urls].filter((url) => !present.has(url));
  return gone.map((url) => ({
    url,
    run: async () => {
      await place.remove(url);
      urls.delete(url);
    },
  }));
}

/** Copies pages that changed or whose time is old. The first page of each account comes first, then the second ones. */
function copies(known: Known, pages: readonly CopiedPage[], options: CopyPagesOptions): Task[] {
  const { copied } = known;
  const byAccount = Map.groupBy(pages, ({ accountId }) => accountId);
  const isChanged = (page: CopiedPage): boolean => copied.get(page.pageId)?.version !== versionOf(page);
  const copiedAt = ({ pageId }: CopiedPage): number => copied.get(pageId)?.builtAt ?? 0;
  const isDue = (page: CopiedPage): boolean => {
    if (isChanged(page)) return true;
    const age = Math.abs(page.builtAt - copiedAt(page));
    return copied.get(page.pageId)?.bytes !== null && age > 0 && age >= options.renewEveryMs;
  };
  const order = (one: CopiedPage, other: CopiedPage): number =>
    Number(isChanged(other)) - Number(isChanged(one)) || copiedAt(one) - copiedAt(other);
  const ranked = [...byAccount.values()].flatMap((own) =>
    own
      .filter(isDue)
      .sort(order)
      .map((page, rank) => ({ page, rank, own })),
  );
  return ranked
    .sort((one, other) => one.rank - other.rank || order(one.page, other.page))
    .map(({ page, own }) => ({ url: page.url, run: () => copyOne(known, page, own, options) }));
}

/** @param own all pages of its account */
async function copyOne(
  { urls, copied }: Known,
  page: CopiedPage,
  own: readonly CopiedPage[],
  { place }: CopyPagesOptions,
): Promise<void> {
  const { url, pageId, builtAt } = page;
  const others = own.filter((each) => each.pageId !== pageId);
  const otherBytes = others.reduce((sum, each) => sum + (copied.get(each.pageId)?.bytes ?? 0), 0);
  let bytes: number | null;
  try {
    bytes = await place.copy(page, mostCopiedBytes - otherBytes);
  } catch (error) {
    // A part of it may be there.
    urls.add(url);
    throw error;
  }
  if (bytes !== null) urls.add(url);
  else if (urls.has(url)) {
    await place.remove(url);
    urls.delete(url);
  }
  copied.set(pageId, { version: versionOf(page), builtAt, bytes });
}

const versionOf = ({ fingerprint, changedAt, url }: CopiedPage): string => `${fingerprint} ${changedAt} ${url}`;
