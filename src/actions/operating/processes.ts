// The processes of this installation.
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { isAlive, type ProcessSign } from '#domain/accounts/process.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';

/** A process and its liveness. */
export interface ListedProcess extends ProcessSign {
  readonly isAlive: boolean;
}

/** Dependencies of this action. */
export interface ProcessDeps extends Pick<Store, 'processes'> {
  readonly clock: Clock;
}

export interface ProcessActions {
  /** Ordered by start time. */
  list(caller: Caller): Promise<ListedProcess[]>;
}

export function createProcessActions({ processes, clock }: ProcessDeps): ProcessActions {
  return {
    async list(caller) {
      requirePermission(caller, 'operate');
      const now = clock.now();
      return (await processes.list()).map((one) => ({ ...one, isAlive: isAlive(one, now) }));
    },
  };
}
