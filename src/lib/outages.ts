// When something that is used again and again could not be used, for whoever has to say afterwards why work was left.
import type { Clock } from './clock.ts';
import { isPassing } from './passing.ts';

/** Watches one use that fails at times. Instants are epoch ms. */
export interface Outages {
  /** Does the work; a failure that passes when the operator acts begins an outage, the next success ends it. */
  watch<Answer>(work: () => Promise<Answer>): Promise<Answer>;
  /**
   * Whether some of the time from `from` to `to` lies in the outage that goes on, or in the last one. An outage counts
   * from the last success before it.
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
        if (isPassing(error)) since ??= workedAt;
        throw error;
      }
    },
    touches(from, to) {
      if (since !== null) return to > since;
      return last !== null && to > last.from && from <= last.to;
    },
  };
}
