// Warnings: what a write accepted, and what probably does not do what its author meant.

import type { Check } from '#domain/checks/check.ts';
import type { JsonObject } from '#domain/json.ts';

/** One doubtful field: its path, and why. */
export interface Warning {
  readonly path: string;
  readonly message: string;
}

/** A record as the answer of a write shows it. */
export type Warned<Shown> = Shown & { readonly warnings?: readonly Warning[] };

/** Settings that can be saved but cannot have the wished effect. */
export interface SettingsWarnings {
  /** @param apiCheckDefaults what its group gives it; null = nothing */
  ofCheck(
    check: Pick<Check, 'checkType' | 'settings' | 'shouldFail'>,
    apiCheckDefaults: JsonObject | null,
  ): readonly Warning[];
  /** @param apiCheckDefaults what a group gives its API checks */
  ofDefaults(apiCheckDefaults: JsonObject): readonly Warning[];
}

/** Warnings named in one answer. */
const most = 50;

/** Adds the warnings of a write to its answer; without any the answer has no such field. */
export function withWarnings<Shown extends object>(shown: Shown, warnings: readonly Warning[]): Warned<Shown> {
  return warnings.length === 0 ? shown : { ...shown, warnings: warnings.slice(0, most) };
}
