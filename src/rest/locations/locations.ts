// Routes of run locations, and of the addresses from which their checks come (reference §4.2).
import type { StaticAddressActions, LocationActions } from '#actions/locations/locations.ts';
import { type Route, route } from '../route.ts';
import { isoTextOrNull } from '../wire.ts';

export function staticAddressRoutes(actions: StaticAddressActions): Route[] {
  return [
    route('listStaticIps', async ({ caller }) => addressesOf(await actions.byLocation(caller, 4))),
    route('listStaticIpsByRegion', async ({ caller }) =>
      Object.fromEntries([...(await actions.byLocation(caller, 4))].map(([region, some]) => [region, [...some]])),
    ),
    route('listStaticIpsAsText', async ({ caller }) => linesOf(await actions.byLocation(caller, 4))),
    route('listStaticIpv6s', async ({ caller }) => addressesOf(await actions.byLocation(caller, 6))),
    route('listStaticIpv6sByRegion', async ({ caller }) =>
      Object.fromEntries(
        [...(await actions.byLocation(caller, 6))].map(([region, [network = '']]) => [region, network]),
      ),
    ),
    route('listStaticIpv6sAsText', async ({ caller }) => linesOf(await actions.byLocation(caller, 6))),
  ];
}

type ByLocation = Awaited<ReturnType<StaticAddressActions['byLocation']>>;

function addressesOf(found: ByLocation): string[] {
  return [...new Set([...found.values()].flat())];
}

function linesOf(found: ByLocation): string {
  return addressesOf(found)
    .map((address) => `${address}\n`)
    .join('');
}

export function locationRoutes(actions: LocationActions): Route[] {
  return [
    route('listLocations', ({ caller }) =>
      actions.list(caller).map(({ code, name, silentSince }) => ({
        region: code,
        name,
        silentSince: isoTextOrNull(silentSince),
      })),
    ),
  ];
}
