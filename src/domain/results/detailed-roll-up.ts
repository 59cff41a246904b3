// A roll-up with its parts by status code and response phases (docs/decisions/0040).
import { mergePhases, type Phases } from './phases.ts';
import { emptyRollUp, mergeRollUp, type RollUp } from './roll-up.ts';

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
