// Rate limit of requests without a valid key or session, by address and by the networks around it.
import { networksOf } from './connections.ts';
import { type Allowance, createRateLimit } from './rate-limit.ts';

/** Counts requests by IP address. */
export type AddressLimit = ReturnType<typeof createAddressLimit>;

/** Allowances of an address or /64, a /56 and a /48 of IPv6, relative to that of an address. */
const shares = [1, 1.5, 2] as const;

/**
 * @param limit requests per minute of an address; 0 = off
 * @param now epoch ms
 */
export function createAddressLimit(limit: number, now: () => number) {
  const limits = shares.map((share) => createRateLimit(Math.ceil(limit * share), 60_000, now));
  return {
    /** Takes one from the allowance of an address; null if the limit is off. */
    take(address: string): Allowance | null {
      let last: Allowance | null = null;
      for (const [at, network] of networksOf(address).toReversed().entries()) {
        last = limits[at]?.take(network) ?? null;
        // What is refused takes nothing from the larger networks, where others are.
        if (last?.isAllowed !== true) return last;
      }
      return last;
    },
  };
}
