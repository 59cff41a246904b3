// Parts of a roll-up by status code as compressed JSON, in a separate column (docs/decisions/0040).
import type { DetailedRollUp } from '#domain/results/detailed-roll-up.ts';
import type { RollUp } from '#domain/results/roll-up.ts';
import { compressed, decompressed, timesList, timesOf, type TimesList } from './compressed.ts';

type Counts = Omit<RollUp, 'responses' | 'failedResponses'>;
/** A status code and its part; absent for a single one, which equals the whole. */
type Stored = readonly (readonly [status: number, counts?: Counts, passed?: TimesList, failed?: TimesList])[];

/**
 * Encodes the parts by status code. Nearly always there is a single one, which equals the whole: only its code is
 * stored.
 */
export function byStatusBytes({ byStatus }: Pick<DetailedRollUp, 'byStatus'>): Uint8Array | null {
  if (byStatus === null) return null;
  const kept: Stored =
    byStatus.size === 1
      ? Array.from(byStatus.keys(), (status) => [status])
      : Array.from(byStatus, ([status, { responses, failedResponses, ...counts }]) => [
          status,
          counts,
          timesList(responses),
          timesList(failedResponses),
        ]);
  return compressed(kept);
}

/** Decodes the parts; a single one is the whole itself. Read-only. */
export function byStatusOf(bytes: Uint8Array | null, whole: RollUp): Map<number, RollUp> | null {
  if (bytes === null) return null;
  return new Map(
    decompressed<Stored>(bytes).map(([status, counts, passed = null, failed = null]) => [
      status,
      counts === undefined ? whole : { ...counts, responses: timesOf(passed), failedResponses: timesOf(failed) },
    ]),
  );
}
