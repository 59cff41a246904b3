// Classifies IP addresses. This is the only place that knows the non-public networks.
import { BlockList, isIP } from 'node:net';
import { type Cidr, parseCidr } from './cidr.ts';

/** public · private (RFC 1918, CGNAT, ULA) · local (loopback) · forbidden (every other non-public network). */
export type AddressClass = 'public' | 'private' | 'local' | 'forbidden';

const networks: readonly (readonly [Exclude<AddressClass, 'public'>, string])[] = [
  // Cloud metadata outside the link-local range comes first, because the range around it may be allowed.
  ['forbidden', '100.100.100.200 168.63.129.16 fd00:ec2::/32 fd20:ce::/32'],
  ['local', '127.0.0.0/8 ::1'],
  ['private', '10.0.0.0/8 100.64.0.0/10 172.16.0.0/12 192.168.0.0/16 fc00::/7'],
  ['forbidden', '0.0.0.0/8 169.254.0.0/16 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24'],
  ['forbidden', '203.0.113.0/24 224.0.0.0/4 240.0.0.0/4'],
  // Only 2000::/3 is public IPv6. ::/3 holds the unspecified address and embedded IPv4 addresses (compatible,
  // translated, NAT64); 8000::/1 holds link-local and multicast.
  ['forbidden', '::/3 4000::/2 8000::/1 2001::/23 2001:db8::/32 2002::/16 3fff::/20'],
];

export interface NetworkList {
  /** Whether an address, as returned by `plainAddress`, is in one of the networks. */
  holds(address: string): boolean;
}

const lists = networks.map(([name, texts]) => [name, networkList(texts.split(' ').map(parseCidr))] as const);

/** Creates a list with separate families, because Node's own list treats IPv4 addresses as part of ::/8. */
export function networkList(cidrs: readonly Cidr[]): NetworkList {
  const four = new BlockList();
  const six = new BlockList();
  for (const { address, prefix, family } of cidrs) (family === 'ipv4' ? four : six).addSubnet(address, prefix, family);
  return { holds: (address) => (address.includes(':') ? six.check(address, 'ipv6') : four.check(address, 'ipv4')) };
}

/**
 * Normalizes an address: removes the zone and unwraps IPv4-mapped IPv6. Returns null if it is not an address; refuse it
 * then.
 */
export function plainAddress(address: string): string | null {
  const zone = address.indexOf('%');
  const text = zone < 0 ? address : address.slice(0, zone);
  const version = isIP(text);
  if (version === 0) return null;
  if (version === 4) return text;
  const canonical = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical);
  if (mapped === null) return canonical;
  const high = Number.parseInt(mapped[1] ?? '', 16);
  const low = Number.parseInt(mapped[2] ?? '', 16);
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/** Classifies an address returned by `plainAddress` (decisions: Where requests may go). */
export function addressClass(address: string): AddressClass {
  return lists.find(([, list]) => list.holds(address))?.[0] ?? 'public';
}
