// Routes of the addresses from which checks come (reference §4.2).
import type { StaticAddressActions } from '#actions/locations/static-addresses.ts';
import { type Route, route } from '../route.ts';

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
