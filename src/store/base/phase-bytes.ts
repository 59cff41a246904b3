// Times of the phases of responses as compressed JSON, in a column of their own (docs/decisions/0040).
import type { Phase, Phases } from '#domain/results/phases.ts';
import { compressed, decompressed, timesList, timesOf, type TimesList } from './compressed.ts';

/** For each phase, times of passed results and of failed ones. */
type Kept = readonly (readonly [phase: Phase, passed: TimesList, failed: TimesList])[];

export function phaseBytes(phases: Phases | null): Uint8Array | null {
  if (phases === null) return null;
  const kept: Kept = Array.from(phases, ([phase, { responses, failedResponses }]) => [
    phase,
    timesList(responses),
    timesList(failedResponses),
  ]);
  return compressed(kept);
}

/** What `phaseBytes` made; null of null. */
export function phasesOf(bytes: Uint8Array | null): Phases | null {
  if (bytes === null) return null;
  const kept = decompressed<Kept>(bytes);
  return new Map(
    kept.map(([phase, passed, failed]) => [phase, { responses: timesOf(passed), failedResponses: timesOf(failed) }]),
  );
}
