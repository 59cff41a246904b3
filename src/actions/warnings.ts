// Warnings: what a write accepted, and what probably does not do what its author meant.

import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import { namesIn } from '#domain/checks/placeholder.ts';
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

/**
 * Warnings for variables whose values contain `{{NAME}}`. Values are used literally.
 *
 * @param pathOf path of the value in the input
 */
export function nestedVariableWarnings(
  variables: readonly EnvironmentVariable[],
  pathOf: (index: number) => string = (index) => `environmentVariables[${index}].value`,
): Warning[] {
  return variables.flatMap(({ value, secret }, index) => {
    const [name] = namesIn(value);
    if (name === undefined) return [];
    const shown = secret ? 'a placeholder' : `{{${name}}}`;
    return [{ path: pathOf(index), message: `contains ${shown}, which is not filled in: values are used literally` }];
  });
}
