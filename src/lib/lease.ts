// Leases of rows whose process may end at any time.

/**
 * Whether a lease holds. One that ends much later than any lease can was taken before the clock was set back, and would
 * hold until that time.
 * @param until epoch ms
 * @param leaseMs how long a lease is
 */
export function isLeased(until: number, now: number, leaseMs: number): boolean {
  return until > now && until - now <= 2 * leaseMs;
}
