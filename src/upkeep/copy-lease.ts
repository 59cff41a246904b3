// The right of one process to write the copies of status pages in a place, and what it notes about them for all.
import type { PageCopiesState } from '#domain/status-pages/page-copies.ts';
import { type Clock, isLeased } from '#lib/clock.ts';

export interface CopyLeaseOptions {
  readonly store: {
    state(): Promise<PageCopiesState | null>;
    /** false = another process was first. */
    move(before: PageCopiesState | null, after: PageCopiesState): Promise<boolean>;
  };
  readonly owner: string;
  readonly clock: Clock;
}

export interface CopyLease {
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
