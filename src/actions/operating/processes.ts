// Which processes work on this installation.
import type { Caller } from '#domain/accounts/api-key.ts';
import { isAlive, type ProcessSign } from '#domain/accounts/process.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';

/** A process, and whether it lives. */
export interface ListedProcess extends ProcessSign {
  readonly isAlive: boolean;
}

/** What this action needs. */
export interface ProcessMeans {
  readonly processes: { list(): Promise<readonly ProcessSign[]> };
  readonly clock: Clock;
}

export interface ProcessActions {
  /** In the order of their start. */
  list(caller: Caller): Promise<ListedProcess[]>;
}

export function createProcessActions({ processes, clock }: ProcessMeans): ProcessActions {
  return {
    async list(caller) {
      requirePermission(caller, 'operate');
      const now = clock.now();
      return (await processes.list()).map((one) => ({ ...one, isAlive: isAlive(one, now) }));
    },
  };
}
