// Applies changes to many checks, a part of each in turn, so that a large change delays no other for long.
import type { Clock } from '#lib/clock.ts';
import { isTemporary } from '#lib/errors.ts';

interface Named {
  readonly accountId: string;
  readonly id: string;
}

export interface ApplyCheckChangesOptions<Change extends Named> {
  readonly store: {
    claim(
      lease: { readonly owner: string; readonly now: number; readonly leaseMs: number },
      max: number,
    ): Promise<readonly Change[]>;
    abandon(change: Change): Promise<void>;
    /** Removes changes that can no longer be undone. */
    removeOld(now: number): Promise<void>;
  };
  readonly applyPart: (change: Change) => Promise<void>;
  readonly owner: string;
  readonly clock: Clock;
  readonly onError: (change: Change, error: unknown) => void;
}

const leaseMs = 10_000;
/** Changes that a process applies in turn. */
const atOnce = 50;
/** Time between two looks for changes that another process left, and between two removals of old ones, ms. */
const idleMs = 5000;
const removeEveryMs = 30_000;

/** One tick: a part of each change. Returns the delay until the next one, ms. */
export function createApplyCheckChanges<Change extends Named>({
  store,
  applyPart,
  owner,
  clock,
  onError,
}: ApplyCheckChangesOptions<Change>): () => Promise<number> {
  let removedAt = 0;
  return async () => {
    const now = clock.now();
    if (Math.abs(now - removedAt) >= removeEveryMs) {
      await store.removeOld(now);
      removedAt = now;
    }
    const changes = await store.claim({ owner, now, leaseMs }, atOnce);
    for (const change of changes) {
      try {
        await applyPart(change);
      } catch (error) {
        if (isTemporary(error)) throw error;
        onError(change, error);
        await store.abandon(change);
      }
    }
    return changes.length > 0 ? 0 : idleMs;
  };
}
