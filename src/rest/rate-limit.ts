// How often one may ask: a fixed window for all, counted in memory.

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
      const used = (counts.get(name) ?? 0) + 1;
      counts.set(name, used);
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
