// A roll-up and what it is made of: its parts by status code, the phases of responses (docs/decisions/0040).
import { mergePhases, type Phases } from './phases.ts';
import { emptyRollUp, mergeRollUp, type RollUp } from './roll-up.ts';

/** What of a roll-up can be asked beside its sums. */
export type RollUpParts = 'byStatus' | 'phases';

/** What is not known is null: an older version did not keep it, or it was not read. */
export interface DetailedRollUp extends RollUp {
  /** By the status code of the answer; 0 = there was none. */
  byStatus: Map<number, RollUp> | null;
  /** Of results that have a response time. */
  phases: Phases | null;
  /** How many final results there were: a stretch of missed slots is one. */
  finalResults: number | null;
}

export function emptyDetailedRollUp(): DetailedRollUp {
  return { ...emptyRollUp(), byStatus: new Map(), phases: new Map(), finalResults: 0 };
}

/** Takes up all that another one holds; what is not known of one of them is not known of the sum. */
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

/** The first with the second taken up; null when either is not known. */
export function sumOfPhases(into: Phases | null, other: Phases | null): Phases | null {
  if (into === null || other === null) return null;
  mergePhases(into, other);
  return into;
}

/** The roll-up of parts by status code. One that has only one part shares its response times with it: only to be read. */
export function wholeOf(byStatus: Map<number, RollUp>, phases: Phases, finalResults: number): DetailedRollUp {
  const [first, ...others] = byStatus.values();
  if (first !== undefined && others.length === 0) return { ...first, byStatus, phases, finalResults };
  const whole = emptyRollUp();
  for (const part of byStatus.values()) mergeRollUp(whole, part);
  return { ...whole, byStatus, phases, finalResults };
}
