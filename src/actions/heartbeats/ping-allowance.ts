// How often a ping address may be called: a steady pace with a burst, counted in memory before anything is asked of the
// database (docs/decisions/0090).
import type { PingSignal } from '#domain/checks/heartbeat.ts';

/** What a call says, as far as its allowance goes: none of them uses up that of another. */
export type PingSort = 'well' | 'failed' | 'start' | 'log';

/** Counts calls by token, a UUID, and sort. */
export interface PingAllowance {
  /** Takes one call. Answers with 0, or with the whole seconds after which there is one again: then none was taken. */
  readonly take: (token: string, sort: PingSort) => number;
  /** Undoes a take whose ping could not be kept. */
  readonly giveBack: (token: string, sort: PingSort) => void;
}

const windowMs = 60_000;
/** Tokens and sorts that are remembered twice over at most; what is forgotten early has its whole allowance again. */
const rememberedMost = 100_000;

/**
 * So many calls a minute of each token and sort: all of them at once, and then one after each `60 s / limit`. A call is
 * refused only when one of the same sort was taken less than that long ago. All tokens are counted alike, whether there is such
 * a heartbeat or not.
 *
 * @param limit 0 = off
 * @param steadyNow a clock that nobody sets, ms
 */
export function createPingAllowance(limit: number, steadyNow: () => number = () => performance.now()): PingAllowance {
  if (limit === 0) return { take: () => 0, giveBack: () => undefined };
  const paceMs = windowMs / limit;
  // When each is whole again, ms. What was not written for a window is whole: two maps in turn forget it without a walk.
  let recent = new Map<string, number>();
  let older = new Map<string, number>();
  let turnAt = 0;
  return {
    take(token, sort) {
      const now = steadyNow();
      if (now >= turnAt || recent.size >= rememberedMost) {
        older = now >= turnAt + windowMs ? new Map() : recent;
        recent = new Map();
        turnAt = now + windowMs;
      }
      const key = keyOf(token, sort);
      const wholeAt = Math.max(now, recent.get(key) ?? older.get(key) ?? now);
      const waitMs = wholeAt + paceMs - now - windowMs;
      // What adding so many paces loses to rounding is no reason to wait.
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

/** A short text of its own: a token cut out of an address would keep all of that address in memory. */
function keyOf(token: string, sort: PingSort): string {
  const bytes = Buffer.allocUnsafe(17);
  bytes.write(token.replaceAll('-', ''), 'hex');
  bytes[16] = sorts.indexOf(sort);
  return bytes.toString('latin1');
}

/** @param exitCode of `exit` */
export function pingSort(signal: Exclude<PingSignal, 'missing'>, exitCode: number | null): PingSort {
  if (signal === 'start' || signal === 'log') return signal;
  return signal === 'fail' || (exitCode ?? 0) !== 0 ? 'failed' : 'well';
}
