// Rate limit with a fixed window for all clients, in memory.
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
export interface RateLimit {
  /** Takes one from the allowance of `name`; null if the limit is off. */
  take(name: string): Allowance | null;
}

/** Maximum number of names counted separately; the others share a counter, which bounds memory. */
const maxNames = 100_000;

/**
 * Allows `limit` requests per window and name (decisions: Rate limit). All names share one window, so expiry is a
 * single assignment.
 * @param limit 0 = off
 * @param now epoch ms
 */
export function createRateLimit(limit: number, windowMs: number, now: () => number): RateLimit {
  let counts = new Map<string, number>();
  let endsAt = 0;
  return {
    take(name) {
      if (limit === 0) return null;
      const at = now();
      // A clock that was set back must not extend the window.
      if (at >= endsAt || at < endsAt - windowMs) {
        counts = new Map();
        endsAt = at + windowMs;
      }
      const counted = counts.has(name) || counts.size < maxNames ? name : '';
      const used = (counts.get(counted) ?? 0) + 1;
      counts.set(counted, used);
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
 * Rate limit key of an address. For IPv6 the /64 network, because one client has all of it. Clipped, because a trusted
 * proxy may pass on what a client has written into X-Forwarded-For.
 */
export function countedAddress(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address.slice(0, 64);
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
