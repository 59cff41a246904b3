// Networks as an operator writes them, and classes of IP addresses. Only this file knows the non-public networks.
import { BlockList, isIP } from 'node:net';

/** A network: address, prefix length and family. */
export interface Cidr {
  readonly address: string;
  /** 0..32 for IPv4, 0..128 for IPv6. */
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** All addresses. */
export const everyNetwork: readonly Cidr[] = [
  { address: '0.0.0.0', prefix: 0, family: 'ipv4' },
  { address: '::', prefix: 0, family: 'ipv6' },
];

/**
 * Parses a network. A single address is a network of one.
 *
 * @throws {Error} with a message for TOCSIN_EGRESS_ALLOW
 */
export function parseCidr(text: string): Cidr {
  const trimmed = text.trim();
  const slash = trimmed.indexOf('/');
  const address = slash < 0 ? trimmed : trimmed.slice(0, slash);
  const version = isIP(address);
  if (version === 0 || address.includes('%')) {
    throw new Error(`"${text}" is not a network. Use an address with a prefix, such as 10.0.0.0/8 or fd00::/8`);
  }
  const max = version === 4 ? 32 : 128;
  const length = slash < 0 ? String(max) : trimmed.slice(slash + 1);
  if (!/^\d{1,3}$/.test(length) || Number(length) > max) {
    throw new Error(`"${text}" has an invalid prefix length. Use 0 to ${max}`);
  }
  return { address, prefix: Number(length), family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** public · private (RFC 1918, CGNAT, ULA) · local (loopback) · forbidden (every other non-public network). */
type AddressClass = 'public' | 'private' | 'local' | 'forbidden';

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

interface NetworkList {
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
