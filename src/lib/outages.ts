// Remembers when a resource failed, to explain afterwards why work was not done.
import type { Clock } from './clock.ts';
import { isTemporary } from './errors.ts';

/** Monitors a resource that fails at times. Times are epoch ms. */
export interface Outages {
  /**
   * Runs the work; a temporary failure starts an outage, the next success ends it. Work that waits for seconds is an
   * outage, too.
   */
  watch<Answer>(work: () => Promise<Answer>): Promise<Answer>;
  /**
   * Whether the range from `from` to `to` overlaps the current or last outage. An outage counts from the last success
   * before it.
   */
  readonly touches: (from: number, to: number) => boolean;
}

/** Work that waits this long for the resource is an outage, ms. */
const slowMs = 2000;

/** Starts measuring; the result returns how long this thread was idle since then, ms. */
function startWaiting(): () => number {
  const before = performance.eventLoopUtilization();
  return () => performance.eventLoopUtilization(before).idle;
}

/** @param measure starts measuring how long work waits without this thread being busy, ms */
export function createOutages(clock: Clock, measure: () => () => number = startWaiting): Outages {
  let workedAt = clock.now();
  let since: number | null = null;
  let last: { readonly from: number; readonly to: number } | null = null;
  return {
    async watch(work) {
      const beganAt = clock.now();
      const waitedMs = measure();
      try {
        const answer = await work();
        const isSlow = waitedMs() >= slowMs;
        if (since !== null || isSlow) last = { from: since ?? beganAt, to: isSlow ? clock.now() : beganAt };
        since = null;
        workedAt = beganAt;
        return answer;
      } catch (error) {
        if (isTemporary(error)) since ??= workedAt;
        throw error;
      }
    },
    touches(from, to) {
      if (since !== null) return to > since;
      return last !== null && to > last.from && from <= last.to;
    },
  };
}
