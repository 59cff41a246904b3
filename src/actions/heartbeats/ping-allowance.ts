// Rate limit of ping URLs, in memory and checked before the database is queried (docs/decisions/0090).
import type { PingSignal } from '#domain/checks/heartbeat.ts';

/** Kinds of pings. Each has its own limit. */
export type PingSort = 'well' | 'failed' | 'start' | 'log';

/** Counts calls by token (a UUID) and kind. */
export interface PingAllowance {
  /** Takes one call. Returns 0, or the number of seconds to wait if the limit is reached. */
  readonly take: (token: string, sort: PingSort) => number;
  /** Returns a call to the allowance if its ping could not be stored. */
  readonly giveBack: (token: string, sort: PingSort) => void;
}

const windowMs = 60_000;
/** Maximum number of entries in each of two maps. Entries dropped early start with a full allowance. */
const maxRemembered = 100_000;

/**
 * Token bucket for each token and kind: `limit` calls at once, then one every `60 s / limit`. Unknown tokens are
 * limited like known ones.
 * @param limit 0 = off
 * @param steadyNow monotonic clock, ms
 */
export function createPingAllowance(limit: number, steadyNow: () => number = () => performance.now()): PingAllowance {
  if (limit === 0) return { take: () => 0, giveBack: () => undefined };
  const paceMs = windowMs / limit;
  // When each bucket is full again, ms. Unused buckets are full: swapping two maps drops them without iterating.
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  let rotatesAt = 0;
  return {
    take(token, sort) {
      const now = steadyNow();
      if (now >= rotatesAt || recent.size >= maxRemembered) {
        older = now >= rotatesAt + windowMs ? new Map() : recent;
        recent = new Map();
        rotatesAt = now + windowMs;
      }
      const key = keyOf(token, sort);
      const wholeAt = Math.max(now, recent.get(key) ?? older.get(key) ?? now);
      const waitMs = wholeAt + paceMs - now - windowMs;
      // Tolerates the rounding error of repeated addition.
      if (waitMs > roundingMs) return Math.max(1, Math.ceil(waitMs / 1000));
      recent.set(key, wholeAt + paceMs);
      return 0;
    },
    giveBack(token, sort) {
      const key = keyOf(token, sort);
      const wholeAt = recent.get(key) ?? older.get(key);
      if (wholeAt !== undefined) recent.set(key, wholeAt - paceMs);
    },
  };
}

const roundingMs = 0.001;

const sorts: readonly PingSort[] = ['well', 'failed', 'start', 'log'];

/** Copies the text: a substring of the URL would keep the whole URL in memory. */
function keyOf(token: string, sort: PingSort): string {
  const bytes = Buffer.allocUnsafe(17);
  bytes.write(token.replaceAll('-', ''), 'hex');
  bytes[16] = sorts.indexOf(sort);
  return bytes.toString('latin1');
}

/** @param exitCode code of an `exit` signal */
export function pingSort(signal: Exclude<PingSignal, 'missing'>, exitCode: number | null): PingSort {
  if (signal === 'start' || signal === 'log') return signal;
  return signal === 'fail' || (exitCode ?? 0) !== 0 ? 'failed' : 'well';
}
