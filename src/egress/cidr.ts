// Networks as an operator writes them: `10.0.0.0/8`, `fd00::/8` or a single address.
import { isIP } from 'node:net';

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
