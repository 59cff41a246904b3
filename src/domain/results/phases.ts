// Summed durations of response phases (docs/decisions/0040).
import { emptyResponses, mergeResponses, type Responses, type RollUp } from './roll-up.ts';
import { addToSketch, quantileOf } from './sketch.ts';

/** The summed phases, in their order. Excludes `tls` and phases of a single kind. */
export const phaseNames = ['wait', 'dns', 'tcp', 'firstByte', 'download'] as const;
export type Phase = (typeof phaseNames)[number];

/** Times of a phase, µs: of passed and degraded results, and of failed ones. The sketches are coarse. */
export type PhaseTimes = Pick<RollUp, 'responses' | 'failedResponses'>;
/** Phases that occurred in no result are omitted. */
export type Phases = Map<Phase, PhaseTimes>;

/** Maximum error of a phase percentile: this fraction of the time plus `coarseOffsetUs`. */
export const coarseError = 0.041;

/** Differences below this are noise and would waste buckets. */
const coarseOffsetUs = 1000;

/** Adds the time of a phase. */
export function addPhase(phases: Phases, phase: Phase, us: number, isFailed: boolean): void {
  const known = phases.get(phase) ?? { responses: emptyResponses(), failedResponses: emptyResponses() };
  phases.set(phase, known);
  const times = isFailed ? known.failedResponses : known.responses;
  times.count++;
  times.sum += us;
  times.sumOfSquares += us * us;
  if (us < times.least) times.least = us;
  if (us > times.max) times.max = us;
  addToSketch(times.sketch, coarse(us));
}

/** Maps a time to its value in a coarse sketch: four buckets become one by the fourth root. */
export function coarse(us: number): number {
  return Math.sqrt(Math.sqrt(us + coarseOffsetUs));
}

/** The quantile `share` (0..1) of a coarse sketch, µs; null if empty. */
export function coarseQuantileOf(sketch: Responses['sketch'], share: number): number | null {
  const found = quantileOf(sketch, share);
  return found === null ? null : Math.max(0, found ** 4 - coarseOffsetUs);
}

/** Adds all phases of others. */
export function mergePhases(into: Phases, other: Phases): void {
  for (const [phase, times] of other) {
    const known = into.get(phase) ?? { responses: emptyResponses(), failedResponses: emptyResponses() };
    mergeResponses(known.responses, times.responses);
    mergeResponses(known.failedResponses, times.failedResponses);
    into.set(phase, known);
  }
}
