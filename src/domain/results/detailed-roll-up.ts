// A roll-up with its parts by status code and response phases (docs/decisions/0040).
import { emptyRollUp, mergeRollUp, type RollUp, emptyResponses, mergeResponses, type Responses } from './roll-up.ts';
import { addToSketch, quantileOf } from './sketch.ts';

/** The summed phases, in their order. Excludes `tls` and phases of a single kind. */
export const phaseNames = ['wait', 'dns', 'tcp', 'firstByte', 'download'] as const;
export type Phase = (typeof phaseNames)[number];

/** Times of a phase, µs: of passed and degraded results, and of failed ones. The sketches are coarse. */
type PhaseTimes = Pick<RollUp, 'responses' | 'failedResponses'>;
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
function coarse(us: number): number {
  return Math.sqrt(Math.sqrt(us + coarseOffsetUs));
}

/** The quantile `share` (0..1) of a coarse sketch, µs; null if empty. */
export function coarseQuantileOf(sketch: Responses['sketch'], share: number): number | null {
  const found = quantileOf(sketch, share);
  return found === null ? null : Math.max(0, found ** 4 - coarseOffsetUs);
}

/** Adds all phases of others. */
function mergePhases(into: Phases, other: Phases): void {
  for (const [phase, times] of other) {
    const known = into.get(phase) ?? { responses: emptyResponses(), failedResponses: emptyResponses() };
    mergeResponses(known.responses, times.responses);
    mergeResponses(known.failedResponses, times.failedResponses);
    into.set(phase, known);
  }
}

/** Parts of a roll-up that can be read in addition to its sums. */
export type RollUpParts = 'byStatus' | 'phases';

/** null = unknown: not stored by an older version, or not read. */
export interface DetailedRollUp extends RollUp {
  /** By status code of the response; 0 = no response. */
  byStatus: Map<number, RollUp> | null;
  /** Phases of results that have a response time. */
  phases: Phases | null;
  /** Number of final results; consecutive missed slots count once. */
  finalResults: number | null;
}

export function emptyDetailedRollUp(): DetailedRollUp {
  return { ...emptyRollUp(), byStatus: new Map(), phases: new Map(), finalResults: 0 };
}

/** Adds another roll-up; parts unknown in either are unknown in the sum. */
export function mergeDetailedRollUp(into: DetailedRollUp, other: DetailedRollUp): void {
  mergeRollUp(into, other);
  into.phases = sumOfPhases(into.phases, other.phases);
  into.finalResults =
    into.finalResults === null || other.finalResults === null ? null : into.finalResults + other.finalResults;
  if (other.byStatus === null) into.byStatus = null;
  if (into.byStatus === null) return;
  for (const [status, part] of other.byStatus ?? []) {
    const known = into.byStatus.get(status) ?? emptyRollUp();
    mergeRollUp(known, part);
    into.byStatus.set(status, known);
  }
}

/** The first with the second added; null if either is unknown. */
export function sumOfPhases(into: Phases | null, other: Phases | null): Phases | null {
  if (into === null || other === null) return null;
  mergePhases(into, other);
  return into;
}

/**
 * The roll-up of parts by status code. With a single part it shares that part's response times, so it must not be
 * modified.
 */
export function wholeOf(byStatus: Map<number, RollUp>, phases: Phases, finalResults: number): DetailedRollUp {
  const [first, ...others] = byStatus.values();
  if (first !== undefined && others.length === 0) return { ...first, byStatus, phases, finalResults };
  const whole = emptyRollUp();
  for (const part of byStatus.values()) mergeRollUp(whole, part);
  return { ...whole, byStatus, phases, finalResults };
}
