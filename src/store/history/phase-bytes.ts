// Phase durations as compressed JSON, in a separate column (docs/decisions/0040).
import type { Phase, Phases } from '#domain/results/detailed-roll-up.ts';
import { compressed, decompressed, timesList, timesOf, type TimesList } from '../base/compressed.ts';

/** For each phase, durations in passed results and in failed ones. */
type Stored = readonly (readonly [phase: Phase, passed: TimesList, failed: TimesList])[];

export function phaseBytes(phases: Phases | null): Uint8Array | null {
  if (phases === null) return null;
  const kept: Stored = Array.from(phases, ([phase, { responses, failedResponses }]) => [
    phase,
    timesList(responses),
    timesList(failedResponses),
  ]);
  return compressed(kept);
}

/** Decodes what `phaseBytes` encoded; null for null. */
export function phasesOf(bytes: Uint8Array | null): Phases | null {
  if (bytes === null) return null;
  const kept = decompressed<Stored>(bytes);
  return new Map(
    kept.map(([phase, passed, failed]) => [phase, { responses: timesOf(passed), failedResponses: timesOf(failed) }]),
  );
}
