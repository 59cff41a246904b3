// The processes of this installation.
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { isAlive, type ProcessSign } from '#domain/accounts/process.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import type { Notice } from './notices.ts';

/** A process and its liveness. */
export interface ListedProcess extends ProcessSign {
  readonly isAlive: boolean;
}

export interface ProcessDeps extends Pick<Store, 'processes'> {
  readonly clock: Clock;
}

export type ProcessActions = ReturnType<typeof createProcessActions>;

export function createProcessActions({ processes, clock }: ProcessDeps) {
  return {
    /** Ordered by start time. */
    async list(caller: Caller): Promise<ListedProcess[]> {
      requirePermission(caller, 'operate');
      const now = clock.now();
      return (await processes.list()).map((one) => ({ ...one, isAlive: isAlive(one, now) }));
    },
  };
}

/** Problems that a process can see: its own, as they are now, and what the living ones published, each once. */
export function sharedNotices(
  own: readonly Notice[],
  { id, known }: { readonly id: string; readonly known: () => readonly Pick<ProcessSign, 'id' | 'notices'>[] },
): Notice[] {
  const byId = new Map<string, Notice>();
  const ofOthers = known().flatMap((one) => (one.id === id ? [] : one.notices));
  for (const notice of [...own, ...ofOthers]) {
    const known = byId.get(notice.id);
    byId.set(notice.id, known === undefined ? notice : { ...known, since: Math.min(known.since, notice.since) });
  }
  return [...byId.values()];
}
