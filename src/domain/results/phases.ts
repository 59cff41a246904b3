// How long the phases of responses took, summed up (docs/decisions/0040).
import { emptyResponses, mergeResponses, type Responses, type RollUp } from './roll-up.ts';
import { addToSketch, quantileOf } from './sketch.ts';

/** The phases that are summed up, in the order in which they take place. `tls` and what only one kind has are not. */
export const phaseNames = ['wait', 'dns', 'tcp', 'firstByte', 'download'] as const;
export type Phase = (typeof phaseNames)[number];

/** Times of a phase, µs: of passed and degraded results, and of failed ones. Their sketches are coarse. */
export type PhaseTimes = Pick<RollUp, 'responses' | 'failedResponses'>;
/** Phases that no result had are left out. */
export type Phases = Map<Phase, PhaseTimes>;

/** The most by which a percentile of a phase is off: this share of the time and `coarseOffsetUs`, in sum. */
export const coarseError = 0.041;

/** Below it nobody tells one time from another: the classes of a sketch would be full of noise. */
const coarseOffsetUs = 1000;

/** Takes up the time of a phase. */
export function addPhase(phases: Phases, phase: Phase, us: number, isFailed: boolean): void {
  const known = phases.get(phase) ?? { responses: emptyResponses(), failedResponses: emptyResponses() };
  phases.set(phase, known);
  const times = isFailed ? known.failedResponses : known.responses;
  times.count++;
  times.sum += us;
  times.sumOfSquares += us * us;
  if (us < times.least) times.least = us;
  if (us > times.most) times.most = us;
  addToSketch(times.sketch, coarse(us));
}

/** What a coarse sketch holds for a time: of its fourth root four classes are one. */
export function coarse(us: number): number {
  return Math.sqrt(Math.sqrt(us + coarseOffsetUs));
}

/** The time at a share (0..1) of a coarse sketch, µs; null of nothing. */
export function coarseQuantileOf(sketch: Responses['sketch'], share: number): number | null {
  const found = quantileOf(sketch, share);
  return found === null ? null : Math.max(0, found ** 4 - coarseOffsetUs);
}

/** Takes up all that others hold. */
export function mergePhases(into: Phases, other: Phases): void {
  for (const [phase, times] of other) {
    const known = into.get(phase) ?? { responses: emptyResponses(), failedResponses: emptyResponses() };
    mergeResponses(known.responses, times.responses);
    mergeResponses(known.failedResponses, times.failedResponses);
    into.set(phase, known);
  }
}
