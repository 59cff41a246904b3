// Networks as an operator writes them: "10.0.0.0/8", "fd00::/8", or one address alone.
import { isIP } from 'node:net';

/** A network: an address, how many of its leading bits count, and its family. */
export interface Cidr {
  readonly address: string;
  /** 0..32 for IPv4, 0..128 for IPv6. */
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/**
 * Reads one network; an address alone is a network of one.
 *
 * @throws {Error} a sentence that says what is wrong and what would be right, for the reader of TOCSIN_EGRESS_ALLOW
 */
export function parseCidr(text: string): Cidr {
  const trimmed = text.trim();
  const slash = trimmed.indexOf('/');
  const address = slash < 0 ? trimmed : trimmed.slice(0, slash);
  const version = isIP(address);
  if (version === 0 || address.includes('%')) {
    throw new Error(`"${text}" is not a network: write an address with a prefix, as 10.0.0.0/8 or fd00::/8`);
  }
  const most = version === 4 ? 32 : 128;
  const length = slash < 0 ? String(most) : trimmed.slice(slash + 1);
  if (!/^\d{1,3}$/.test(length) || Number(length) > most) {
    throw new Error(`"${text}" has a wrong prefix: after the slash stands a number from 0 to ${most}`);
  }
  return { address, prefix: Number(length), family: version === 4 ? 'ipv4' : 'ipv6' };
}
