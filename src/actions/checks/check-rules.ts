// Validation rules of checks and groups beyond their schema (decisions: Checks, Runtimes).
import type { Check } from '#domain/checks/check.ts';
import { type Runtime, stageAt } from '#domain/checks/runtime.ts';
import { type Problem, invalidField } from '../refusal.ts';
import type { Saved } from '#store/checks/checks.ts';

/** The available options. */
export interface Choices {
  /** Run locations, as in `GET /v1/locations`. */
  readonly locations: () => readonly { readonly code: string }[];
  /** The installed runtimes. */
  readonly runtimes: () => readonly Runtime[];
  /** Epoch ms. */
  readonly now: () => number;
}

/** Locations, runtime and mute time. Absent fields are not validated. */
export interface Placing {
  readonly locations?: readonly string[];
  readonly runtimeId?: string | null;
  /** Epoch ms. */
  readonly mutedUntil?: number | null;
}

/**
 * Returns references to locations and runtimes that do not exist. Whether scripts have a runtime is validated
 * separately (`scriptRuntimeProblems`).
 * @param present the stored values, which stay valid even if what they reference was removed
 * @param mayHaveEnded accept a runtime that has ended, because another replaces it (`runtimeFallback`)
 */
export function placingProblems(
  { locations, runtimeId, mutedUntil = null }: Placing,
  choices: Choices,
  present: Pick<Placing, 'locations' | 'runtimeId' | 'mutedUntil'> = {},
  mayHaveEnded = false,
): Problem[] {
  const problems: Problem[] = [];
  const codes = choices.locations().map(({ code }) => code);
  for (const [index, code] of (locations ?? []).entries()) {
    if (!codes.includes(code) && !present.locations?.includes(code))
      problems.push({ path: `locations[${index}]`, message: `must be one of ${codes.join(', ')}` });
  }
  if (runtimeId !== undefined && runtimeId !== present.runtimeId)
    problems.push(...runtimeNameProblems(runtimeId, choices, mayHaveEnded));
  if (mutedUntil !== null && mutedUntil !== present.mutedUntil && mutedUntil <= choices.now())
    problems.push({ path: 'mutedUntil', message: 'must be in the future, or null' });
  return problems;
}

/** Validates the name of a runtime; null names none. */
export function runtimeNameProblems(
  runtimeId: string | null,
  { runtimes, now }: Pick<Choices, 'runtimes' | 'now'>,
  mayHaveEnded = false,
): Problem[] {
  if (runtimeId === null) return [];
  const at = now();
  const hasEnded = (runtime: Runtime): boolean => stageAt(runtime, at) === 'REMOVED';
  if (runtimes().some((runtime) => runtime.name === runtimeId && (mayHaveEnded || !hasEnded(runtime)))) return [];
  const names = runtimes().flatMap((runtime) => (hasEnded(runtime) ? [] : runtime.name));
  const right = names.length === 0 ? 'null: no runtime is installed' : `one of ${names.join(', ')}, or null`;
  return [{ path: 'runtimeId', message: `must be ${right}` }];
}

/** Intervals in seconds that are allowed with a frequency of 0. */
const shortIntervals = [10, 20, 30];

/** Validates the interval of a check (reference §4.3: frequency). */
export function frequencyProblems({
  frequency,
  frequencyOffset,
}: Pick<Check, 'frequency' | 'frequencyOffset'>): Problem[] {
  if (frequency === 0 && !shortIntervals.includes(frequencyOffset ?? 0)) {
    return [{ path: 'frequencyOffset', message: 'must be 10, 20 or 30 (seconds) when frequency is 0' }];
  }
  return [];
}

/** @throws {Refusal} `invalid`, with the field of the unknown reference */
export function savedOrRefused<Stored>(outcome: Saved<Stored>): Stored {
  if ('saved' in outcome) return outcome.saved;
  if ('cycle' in outcome) {
    throw invalidField('dependsOn', `forms a cycle: ${outcome.cycle.join(' → ')}. Remove one of these dependencies`);
  }
  throw invalidField(outcome.dangling, danglingMessage(outcome.dangling));
}

function danglingMessage(path: string): string {
  if (path === 'activeHours.otherChannelId') return 'is not the ID of another alert channel of this account';
  if (path.endsWith('alertChannelId')) return 'is not the ID of an alert channel of this account';
  return path.endsWith('checkId') || /^(dependsOn|add)\b/.test(path)
    ? 'is not the ID of a check of this account'
    : 'is not the ID of a check group of this account';
}
