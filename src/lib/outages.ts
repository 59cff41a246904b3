// Remembers when a resource failed, to explain afterwards why work was not done.
import type { Clock } from './clock.ts';
import { isTemporary } from './temporary-error.ts';

/** Monitors a resource that fails at times. Times are epoch ms. */
export interface Outages {
  /** Runs the work; a temporary failure starts an outage, the next success ends it. */
  watch<Answer>(work: () => Promise<Answer>): Promise<Answer>;
  /**
   * Whether the range from `from` to `to` overlaps the current or last outage. An outage counts from the last success
   * before it.
   */
  touches(from: number, to: number): boolean;
}

export function createOutages(clock: Clock): Outages {
  let workedAt = clock.now();
  let since: number | null = null;
  let last: { readonly from: number; readonly to: number } | null = null;
  return {
    async watch(work) {
      const beganAt = clock.now();
      try {
        const answer = await work();
        if (since !== null) last = { from: since, to: beganAt };
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
