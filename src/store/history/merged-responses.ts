// Response times of spans that are over, as they were merged for an overview before: the same checks are looked at again and
// again, and what was rolled up is written anew only where a result came late (docs/decisions/0040).
import type { RollUp } from '#domain/results/roll-up.ts';
import { createRecent } from '#lib/recent.ts';
import { type IdBytes, idText } from '../base/codec.ts';

/** What the roll-ups of a check within a part of a span came to. Nothing of it is changed. */
export interface Merged extends Pick<RollUp, 'responses' | 'failedResponses'> {
  /** Another number when any of the rows is another one. */
  readonly versions: number;
}

/** What was merged lately, by the part of a span, as a text, and the check's id. */
export interface MergedResponses {
  /** Whether anything is known of one of these checks: if not, all is best read at once. */
  isAny(part: string, checks: readonly IdBytes[]): boolean;
  /** undefined = the rows are others than then, or nothing is known of them. */
  get(part: string, checkId: string, versions: number): Merged | undefined;
  keep(part: string, checkId: string, merged: Merged): void;
}

/** Classes of response times that are remembered, of all checks together: eight bytes each at most. */
const classesMost = 1_000_000;
/** What else is remembered of a check, in classes. */
const besides = 100;

export function createMergedResponses(): MergedResponses {
  const known = createRecent<Merged>({
    most: classesMost,
    sizeOf: ({ responses, failedResponses }) =>
      besides + responses.sketch.counts.length + failedResponses.sketch.counts.length,
  });
  return {
    isAny: (part, checks) => checks.some((check) => known.get(`${part}/${idText(check)}`) !== undefined),
    get(part, checkId, versions) {
      const merged = known.get(`${part}/${checkId}`);
      return merged?.versions === versions ? merged : undefined;
    },
    keep: (part, checkId, merged) => known.set(`${part}/${checkId}`, merged),
  };
}
