// Caches merged response times of past ranges for the overview: the same checks are shown again and again, and roll-ups
// are rewritten only after late results (docs/decisions/0040).
import type { RollUp } from '#domain/results/roll-up.ts';
import { createRecent } from '#lib/recent.ts';
import { type IdBytes, idText } from '../base/codec.ts';

/** Merged roll-ups of a check in a part of a range. Immutable. */
export interface Merged extends Pick<RollUp, 'responses' | 'failedResponses'> {
  /** Changes when any of the rows does. */
  readonly versions: number;
}

/** Maximum number of cached response time buckets, of all checks together: at most eight bytes each. */
const maxClasses = 1_000_000;
/** Overhead of a cached check, in buckets. */
const overhead = 100;

/** Recently merged data, by part of a range (as text) and check ID. */
export function createMergedResponses() {
  const known = createRecent<Merged>({
    max: maxClasses,
    sizeOf: ({ responses, failedResponses }) =>
      overhead + responses.sketch.counts.length + failedResponses.sketch.counts.length,
  });
  return {
    /** Whether anything is cached for one of these checks: if not, all are best read at once. */
    isAny: (part: string, checks: readonly IdBytes[]): boolean =>
      checks.some((check) => known.get(`${part}/${idText(check)}`) !== undefined),
    /** undefined = not cached, or the rows have changed. */
    get(part: string, checkId: string, versions: number): Merged | undefined {
      const merged = known.get(`${part}/${checkId}`);
      return merged?.versions === versions ? merged : undefined;
    },
    keep: (part: string, checkId: string, merged: Merged): void => known.set(`${part}/${checkId}`, merged),
  };
}

export type MergedResponses = ReturnType<typeof createMergedResponses>;
