// Parts of a roll-up by status code as compressed JSON, in a column of their own (docs/decisions/0040).
import type { DetailedRollUp } from '#domain/results/detailed-roll-up.ts';
import type { RollUp } from '#domain/results/roll-up.ts';
import { compressed, decompressed, timesList, timesOf, type TimesList } from './compressed.ts';

type Counts = Omit<RollUp, 'responses' | 'failedResponses'>;
/** A status code, and what its part holds: absent of the only one, which is the whole. */
type Kept = readonly (readonly [status: number, counts?: Counts, passed?: TimesList, failed?: TimesList])[];

/** The parts by status code. Nearly always there is one, which is the whole: its code is all that is kept. */
export function byStatusBytes({ byStatus }: Pick<DetailedRollUp, 'byStatus'>): Uint8Array | null {
  if (byStatus === null) return null;
  const kept: Kept =
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

/** The parts that bytes stand for; of one that is the whole it is the whole itself. Only to be read. */
export function byStatusOf(bytes: Uint8Array | null, whole: RollUp): Map<number, RollUp> | null {
  if (bytes === null) return null;
  return new Map(
    decompressed<Kept>(bytes).map(([status, counts, passed = null, failed = null]) => [
      status,
      counts === undefined ? whole : { ...counts, responses: timesOf(passed), failedResponses: timesOf(failed) },
    ]),
  );
}
