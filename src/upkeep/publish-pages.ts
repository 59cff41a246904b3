// Builds what is published of status pages, when something changed and each minute: one process at a time.
import type { PagePublisher } from '#domain/status-pages/page-snapshot.ts';
import { type Clock, isLeased } from '#lib/clock.ts';

export interface PublishPagesOptions {
  readonly store: {
    publisher(): Promise<PagePublisher | null>;
    /** false = another process was first. */
    movePublisher(before: PagePublisher | null, after: PagePublisher): Promise<boolean>;
    /** IDs of the accounts that have pages. */
    accounts(): Promise<readonly string[]>;
    /** Changes with the account. */
    revisions(accountId: string): Promise<string>;
  };
  /** Builds and stores the pages of an account; returns when to do so again though nothing was changed, epoch ms. */
  readonly publish: (accountId: string) => Promise<number>;
  readonly owner: string;
  readonly clock: Clock;
  readonly onError: (accountId: string, error: unknown) => void;
}

interface Published {
  readonly revisions: string;
  /** When it is built again, whether or not it changes; epoch ms. */
  readonly dueAt: number;
}

/** Time between two looks, ms; longer if they take long, so that they cost a fifth at most. */
const lookEveryMs = 1000;
const costs = 4;
const everyMs = 60_000;
const leaseMs = 10_000;
/** When the publisher renews its lease, ms before it ends. */
const renewMs = 6000;
/** How long a tick may take before its lease is renewed by the next one, ms. */
const tickMs = 2000;

/** One tick. Returns the delay until the next one, ms. */
export function createPublishPages(options: PublishPagesOptions): () => Promise<number> {
  const { store, clock } = options;
  let published: ReadonlyMap<string, Published> = new Map();
  /** The account that was looked at last: the next tick goes on after it. */
  let last = '';
  return async () => {
    if (!(await isPublisher(options))) {
      published = new Map();
      return lookEveryMs;
    }
    const startedAt = performance.now();
    const all = await store.accounts();
    const known = new Map(
      all.flatMap((id) => {
        const before = published.get(id);
        return before === undefined ? [] : [[id, before] as const];
      }),
    );
    published = known;
    const next = all.findIndex((id) => id > last);
    const inTurn = next === -1 ? all : [...all.slice(next), ...all.slice(0, next)];
    for (const accountId of inTurn) {
      last = accountId;
      const done = await publishChanged(options, accountId, known.get(accountId));
      if (done !== null) known.set(accountId, done);
      // The others have their turn in the next tick.
      if (performance.now() - startedAt > tickMs) return 0;
    }
    const pauseMs = Math.max(lookEveryMs, (performance.now() - startedAt) * costs);
    const soonestMs = Math.min(...[...known.values()].map(({ dueAt }) => dueAt - clock.now()), pauseMs);
    return Math.max(soonestMs, Math.min(pauseMs, lookEveryMs / 10));
  };
}

/** null = nothing changed. Pages of an account that fails leave the turn to the others for a minute. */
async function publishChanged(
  { store, publish, clock, onError }: PublishPagesOptions,
  accountId: string,
  before: Published | undefined,
): Promise<Published | null> {
  let revisions = before?.revisions ?? '';
  try {
    revisions = await store.revisions(accountId);
    const now = clock.now();
    const isDue = before === undefined || now >= before.dueAt || before.dueAt - now > everyMs;
    if (!isDue && revisions === before.revisions) return null;
    const againAt = await publish(accountId);
    return { revisions, dueAt: Math.min(now + everyMs, againAt) };
  } catch (error) {
    onError(accountId, error);
    return { revisions, dueAt: clock.now() + everyMs };
  }
}

async function isPublisher({ store, owner, clock }: PublishPagesOptions): Promise<boolean> {
  const now = clock.now();
  const before = await store.publisher();
  const isHeld = before !== null && isLeased(before.leasedUntil, now, leaseMs);
  if (isHeld && before.owner !== owner) return false;
  if (isHeld && before.leasedUntil - now > renewMs) return true;
  return store.movePublisher(before, { owner, leasedUntil: now + leaseMs });
}
