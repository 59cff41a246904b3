// What a process has once its database is open.
import type { FollowedClock } from '#lib/followed-clock.ts';
import type { Store } from '#store/store.ts';

/** The open store of a process. */
export interface OpenedStore {
  readonly store: Store;
  readonly clock: FollowedClock;
  /** Asks again what time it is where the clock is kept; null = this machine keeps it. */
  readonly measureTime: (() => Promise<void>) | null;
}
