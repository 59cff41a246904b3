// Rate limit with a fixed window for all clients, in memory.
import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';

/** State of an allowance after a request. */
export interface Allowance {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** End of the window, Unix seconds. */
  readonly resetAtSeconds: number;
  /** Seconds until then, at least 1. */
  readonly retryAfterSeconds: number;
}

/** Counts requests by name. */
export type RateLimit = ReturnType<typeof createRateLimit>;

/** Names in each of two maps, which bounds memory. A name is forgotten after as many others at the earliest. */
const namesMax = 50_000;
/** Names that have used up half of their allowance are forgotten last: these many of them. */
const stickyMax = 10_000;
/** Longer names are counted by their hash. */
const nameMax = 40;

/**
 * Allows `limit` requests per window and name (decisions: Rate limit). All names share one window, so expiry is a
 * single assignment. A sender of very many names makes the limit forget names, and never takes the allowance of
 * another name (docs/decisions/0134).
 * @param limit 0 = off
 * @param now epoch ms
 */
export function createRateLimit(limit: number, windowMs: number, now: () => number) {
  let counts = new Map<string, number>();
  let older: ReadonlyMap<string, number> = new Map();
  let endsAt = 0;
  const startMap = (): void => {
    older = counts;
    counts = new Map();
    for (const [name, used] of older) {
      if (counts.size >= stickyMax) return;
      if (used > limit / 2) counts.set(name, used);
    }
  };
  return {
    /** Takes one from the allowance of `name`; null if the limit is off. */
    take(name: string): Allowance | null {
      if (limit === 0) return null;
      const at = now();
      // A clock that was set back must not extend the window.
      if (at >= endsAt || at < endsAt - windowMs) {
        [counts, older] = [new Map(), new Map()];
        endsAt = at + windowMs;
      }
      const counted = name.length > nameMax ? hash('sha256', name, 'base64url') : name;
      const used = (counts.get(counted) ?? older.get(counted) ?? 0) + 1;
      counts.set(counted, used);
      if (counts.size >= namesMax) startMap();
      return {
        isAllowed: used <= limit,
        limit,
        remaining: Math.max(0, limit - used),
        resetAtSeconds: Math.ceil(endsAt / 1000),
        retryAfterSeconds: Math.max(1, Math.ceil((endsAt - at) / 1000)),
      };
    },
  };
}

/**
 * Rate limit key of an address. For IPv6 the /64 network, because one client has all of it, unless the network stands
 * for all of IPv4. Clipped, because a trusted proxy may pass on what a client has written into X-Forwarded-For.
 */
export function countedAddress(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address.slice(0, 64);
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  const parts = [...before, ...zeros, ...after].map((part) => Number.parseInt(part, 16).toString(16));
  const network = parts.slice(0, 6).join(':');
  return (network === '0:0:0:0:0:ffff' || network === '64:ff9b:0:0:0:0' ? parts : parts.slice(0, 4)).join(':');
}
