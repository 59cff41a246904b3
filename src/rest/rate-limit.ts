// How often one may ask: a fixed window for all, counted in memory.
import { isIPv6 } from 'node:net';

/** What a request used of its allowance. */
export interface Allowance {
  readonly isAllowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** End of the window, unix seconds. */
  readonly resetAtSeconds: number;
  /** Seconds until then, at least 1. */
  readonly retryAfterSeconds: number;
}

/** Counts requests by name. */
export interface RateLimit {
  /** Takes one from the allowance of `name`; null when the limit is off. */
  take(name: string): Allowance | null;
}

/** Names that are counted by themselves; the others share one count, so that no sender of many names takes more memory. */
const mostNames = 100_000;

/**
 * A limit of `limit` a window for each name (decisions: Rate limit). All names share one window, so that forgetting is
 * one assignment and nothing grows.
 *
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
      // A clock that was set back must not stretch the window.
      if (at >= endsAt || at < endsAt - windowMs) {
        counts = new Map();
        endsAt = at + windowMs;
      }
      const counted = counts.has(name) || counts.size < mostNames ? name : '';
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

/** What an address is counted by: of IPv6 its network, because one client has all of a /64. */
export function countedAddress(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
