// Routes of private locations and their keys (reference §4.7).
import type {
  PrivateLocationActions,
  ShownLocationKey,
  ShownPrivateLocation,
} from '#actions/locations/private-locations.ts';
import type { PrivateLocationBody, PrivateLocationKeyBody } from '#contract/locations/private-location.ts';
import { type Route, route } from '../route.ts';
import { isoText, isoTextOrNull, usesToWire } from '../wire.ts';

export function privateLocationRoutes(actions: PrivateLocationActions): Route[] {
  return [
    route('listPrivateLocations', async ({ caller }) => (await actions.list(caller)).map(toWire)),
    route('createPrivateLocation', async ({ caller, body }) => toWire(await actions.create(caller, body))),
    route('getPrivateLocation', async ({ caller, params }) => toWire(await actions.find(caller, params.id))),
    route('updatePrivateLocation', async ({ caller, params, body }) =>
      toWire(await actions.change(caller, params.id, body)),
    ),
    route('getPrivateLocationUses', async ({ caller, params, signal }) =>
      usesToWire(await actions.uses(caller, params.id, signal)),
    ),
    route('deletePrivateLocation', ({ caller, params }) => actions.remove(caller, params.id)),
    route('createPrivateLocationKey', async ({ caller, params }) =>
      keyToWire(await actions.createKey(caller, params.id)),
    ),
    route('deletePrivateLocationKey', ({ caller, params: { id, keyId } }) => actions.removeKey(caller, id, keyId)),
  ];
}

function toWire(location: ShownPrivateLocation): PrivateLocationBody {
  const { id, name, slugName, icon, keys, lastSeenAt, hosts, createdAt, updatedAt } = location;
  return {
    id,
    name,
    slugName,
    icon,
    proxyUrl: null,
    keys: keys.map(keyToWire),
    lastSeen: isoTextOrNull(lastSeenAt),
    agentCount: hosts.length,
    runningAgents: hosts.map((hostname) => ({ hostname })),
    created_at: isoText(createdAt),
    updated_at: isoTextOrNull(updatedAt),
  };
}

function keyToWire({ id, prefix, text, createdAt }: ShownLocationKey): PrivateLocationKeyBody {
  return { id, maskedKey: `${prefix}***`, ...(text !== undefined && { rawKey: text }), created_at: isoText(createdAt) };
}
