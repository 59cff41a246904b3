// Operator actions on held deliveries: inspect, release, discard.
import type { Store } from '#store/store.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { DeliveryHold } from '#domain/deliveries/delivery.ts';
import { requirePermission } from '../accounts/permission.ts';

export interface HeldDeliveryDeps extends Pick<Store, 'heldDeliveries'> {
  /** Hints that deliveries are due. */
  readonly wake: () => void;
}

/** The hold and the number of waiting deliveries. */
export interface ShownHold {
  readonly hold: DeliveryHold | null;
  readonly waiting: number;
}

/** The state after a call that ended a hold. */
export interface EndedHold extends ShownHold {
  /** Number of deliveries that the call released or discarded. */
  readonly count: number;
}

export type HeldDeliveryActions = ReturnType<typeof createHeldDeliveryActions>;

export function createHeldDeliveryActions({ heldDeliveries, wake }: HeldDeliveryDeps) {
  const shown = async (): Promise<ShownHold> => {
    const hold = await heldDeliveries.find();
    return { hold, waiting: hold === null ? 0 : await heldDeliveries.waiting() };
  };
  const ending = async (caller: Caller, end: () => Promise<number>): Promise<EndedHold> => {
    requirePermission(caller, 'operate');
    const count = (await heldDeliveries.find()) === null ? 0 : await end();
    wake();
    return { ...(await shown()), count };
  };
  return {
    async find(caller: Caller): Promise<ShownHold> {
      requirePermission(caller, 'operate');
      return shown();
    },
    /** Sends the waiting deliveries; does nothing if nothing is held. */
    release: (caller: Caller): Promise<EndedHold> =>
      ending(caller, async () => {
        const waiting = await heldDeliveries.waiting();
        await heldDeliveries.release();
        return waiting;
      }),
    /** Cancels the waiting deliveries; does nothing if nothing is held. */
    discard: (caller: Caller): Promise<EndedHold> => ending(caller, () => heldDeliveries.discard()),
  };
}

/** Why deliveries are held, in a sentence. */
export function holdWords({ since, reason, backupAt }: DeliveryHold): string {
  const backup = backupAt === null ? 'a backup' : `the backup of ${new Date(backupAt).toISOString()}`;
  const why = reason === 'setting' ? 'the service was started with TOCSIN_DELIVERIES=held' : `${backup} was restored`;
  return `Deliveries have been held since ${new Date(since).toISOString()} because ${why}.`;
}

/** How to end the hold. */
export const releaseHint =
  'To send the waiting deliveries, an operator calls POST /v1/held-deliveries/release; to cancel them, POST /v1/held-deliveries/discard.';
