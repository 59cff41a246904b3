// The open database of a process.
import type { FollowedClock } from '#lib/followed-clock.ts';
import type { Damage } from './damage.ts';
import type { Store } from '#store/store.ts';

/** The open store of a process. */
export interface OpenedStore {
  readonly store: Store;
  readonly clock: FollowedClock;
  /** Reads the time of the database's clock; null = this machine's clock is used. */
  readonly measureTime: (() => Promise<void>) | null;
  /** Damage of the database that is known so far. */
  readonly damage: Damage;
}
