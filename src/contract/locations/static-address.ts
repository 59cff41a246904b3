// Addresses from which checks come, in the API (reference §4.2).
import { z } from 'zod';
import { tagged, type Untagged } from '../operation.ts';

const list = { method: 'GET', permission: 'read' } as const;
const description =
  'For allow lists. The operator names them in `TOCSIN_STATIC_ADDRESSES`; empty if none are named. Those of private locations are shown to their account only.';
const byRegion = 'By the code of the run location.';

export const staticAddressOperations = tagged('Locations', {
  listStaticIps: {
    ...list,
    path: '/v1/static-ips',
    summary: 'List the IPv4 addresses of checks',
    description,
    response: z.array(z.string()),
  },
  listStaticIpsByRegion: {
    ...list,
    path: '/v1/static-ips-by-region',
    summary: 'List the IPv4 addresses of checks by location',
    response: z.record(z.string(), z.array(z.string())).describe(byRegion),
  },
  listStaticIpsAsText: {
    ...list,
    path: '/v1/static-ips.txt',
    summary: 'List the IPv4 addresses of checks as text',
    description: 'One per line.',
    media: 'text/plain',
  },
  listStaticIpv6s: {
    ...list,
    path: '/v1/static-ipv6s',
    summary: 'List the IPv6 networks of checks',
    description,
    response: z.array(z.string().describe('A network, such as `2001:db8::/56`.')),
  },
  listStaticIpv6sByRegion: {
    ...list,
    path: '/v1/static-ipv6s-by-region',
    summary: 'List the IPv6 networks of checks by location',
    response: z.record(z.string(), z.string()).describe(byRegion),
  },
  listStaticIpv6sAsText: {
    ...list,
    path: '/v1/static-ipv6s.txt',
    summary: 'List the IPv6 networks of checks as text',
    description: 'One per line.',
    media: 'text/plain',
  },
} as const satisfies Untagged);
