// Run locations, and the addresses from which their checks come, in the API (reference §4.2).
import { z } from 'zod';
import { tagged, type Untagged } from '../operation.ts';
import { instant } from '#lib/schema/fields.ts';

const location = z
  .strictObject({
    region: z.string().describe('Code of the location.'),
    name: z.string().describe('Display name.'),
    silentSince: instant
      .nullable()
      .describe('Since when no process runs checks there, so that their runs wait; null = available.'),
  })
  .meta({ id: 'Location', description: 'A location from which checks run.' });

export const locationOperations = tagged('Locations', {
  listLocations: {
    method: 'GET',
    path: '/v1/locations',
    summary: 'List all run locations',
    description: 'Available ones first, then those that had a runner in the last 30 days. The list is not paged.',
    permission: 'read',
    response: z.array(location),
  },
} as const satisfies Untagged);

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
