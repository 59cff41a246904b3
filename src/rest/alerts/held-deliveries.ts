// Routes of held deliveries.
import type { EndedHold, HeldDeliveryActions, ShownHold } from '#actions/alerts/held-deliveries.ts';
import type { HeldDeliveriesBody } from '#contract/alerts/delivery.ts';
import { type Route, route } from '../route.ts';
import { isoText, isoTextOrNull } from '../wire.ts';

export function heldDeliveryRoutes(actions: HeldDeliveryActions): Route[] {
  return [
    route('getHeldDeliveries', async ({ caller }) => toWire(await actions.find(caller))),
    route('releaseHeldDeliveries', async ({ caller }) => endedToWire('released', await actions.release(caller))),
    route('discardHeldDeliveries', async ({ caller }) => endedToWire('discarded', await actions.discard(caller))),
  ];
}

function endedToWire(field: 'released' | 'discarded', { count, ...shown }: EndedHold): HeldDeliveriesBody {
  return { ...toWire(shown), [field]: count };
}

function toWire({ hold, waiting }: ShownHold): HeldDeliveriesBody {
  if (hold === null) return { isHeld: false, since: null, reason: null, backupAt: null, waiting };
  const { since, reason, backupAt } = hold;
  return { isHeld: true, since: isoText(since), reason, backupAt: isoTextOrNull(backupAt), waiting };
}
