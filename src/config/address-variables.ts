// The variable with the addresses from which checks come.
import { isIPv4 } from 'node:net';
import type { StaticAddress } from '#domain/locations/static-address.ts';
import { parseCidr } from '#egress/address-class.ts';
import type { ConfigVariable } from './config-variable.ts';

export const addressVariables = {
  TOCSIN_STATIC_ADDRESSES: {
    fallback: 'none',
    meaning:
      'Addresses from which checks reach their targets, for the firewalls of those: what `GET /v1/static-ips` returns. Tocsin cannot know them behind NAT. An entry without a location is for `TOCSIN_LOCATION`. Set it for processes that serve the API.',
    right:
      'a comma-separated list of IPv4 addresses and at most one IPv6 network per location, such as 203.0.113.7,eu-1=198.51.100.4,eu-1=2001:db8::/56',
    read: readAddresses,
  } satisfies ConfigVariable<readonly StaticAddress[]>,
};

function readAddresses(text: string): readonly StaticAddress[] | undefined {
  const all = text.split(',').map(readAddress);
  if (!all.every((one) => one !== undefined)) return undefined;
  // Clients read one network for each location.
  const networks = all.filter(({ family }) => family === 6).map(({ location }) => location);
  return new Set(networks).size === networks.length ? all : undefined;
}

function readAddress(entry: string): StaticAddress | undefined {
  const [, code, text = ''] = /^(?:([a-z0-9][a-z0-9-]{0,31})=)?([\dA-Fa-f.:/]+)$/.exec(entry.trim()) ?? [];
  const location = code ?? null;
  if (isIPv4(text)) return { location, family: 4, text };
  if (!text.includes(':')) return undefined;
  const { address, prefix } = parseCidr(text);
  return { location, family: 6, text: `${address}/${prefix}` };
}
