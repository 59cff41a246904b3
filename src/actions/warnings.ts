// Warnings about accepted settings that probably do not have the intended effect.
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import { namesIn } from '#domain/checks/placeholder.ts';
import { type Check, namedLocations } from '#domain/checks/check.ts';
import type { JsonObject } from '#domain/json.ts';
import { escalationOf, remindersOf } from '#domain/alerts/alert-settings.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';

/** A doubtful field: its path, and why. */
export interface Warning {
  readonly path: string;
  readonly message: string;
}

/** A record in the response to a write. */
export type Warned<Shown> = Shown & { readonly warnings?: readonly Warning[] };

/** Settings that are valid but cannot have the intended effect. */
export interface SettingsWarnings {
  /** @param apiCheckDefaults defaults from its group; null = none */
  ofCheck(
    check: Pick<Check, 'checkType' | 'settings' | 'shouldFail'>,
    apiCheckDefaults: JsonObject | null,
  ): readonly Warning[];
  /** @param apiCheckDefaults defaults of a group for its API checks */
  ofDefaults(apiCheckDefaults: JsonObject): readonly Warning[];
}

/** Maximum number of warnings in a response. */
const max = 50;

/** Adds warnings to the response of a write; without any, the field is absent. */
export function withWarnings<Shown extends object>(shown: Shown, warnings: readonly Warning[]): Warned<Shown> {
  return warnings.length === 0 ? shown : { ...shown, warnings: warnings.slice(0, max) };
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

type Judged = Pick<
  Check,
  | 'checkType'
  | 'retryStrategy'
  | 'alertSettings'
  | 'useGlobalAlertSettings'
  | 'runParallel'
  | 'locations'
  | 'privateLocations'
>;

/** @param group group of the check, which may override it; null = none */
export function ruleWarnings(
  check: Judged,
  group: Pick<CheckGroup, 'retryStrategy' | 'useGlobalAlertSettings' | 'runParallel' | 'locations'> | null,
): Warning[] {
  return [
    ...(group === null || group.retryStrategy === 'FALLBACK' ? retryWarnings(check) : []),
    ...(group === null || group.useGlobalAlertSettings === null ? alertWarnings(check) : []),
    ...(group === null ? parallelWarnings(check) : []),
  ];
}

function retryWarnings({ checkType, retryStrategy }: Judged): Warning[] {
  if (retryStrategy === null || retryStrategy.type === 'NO_RETRIES') return [];
  if (checkType === 'HEARTBEAT') return [{ path: 'retryStrategy', message: 'has no effect on a heartbeat check' }];
  const { baseBackoffSeconds, maxDurationSeconds } = retryStrategy;
  if (baseBackoffSeconds <= maxDurationSeconds) return [];
  const message = `is less than baseBackoffSeconds (${baseBackoffSeconds} s), so no retry starts`;
  return [{ path: 'retryStrategy.maxDurationSeconds', message }];
}

function alertWarnings({ alertSettings, useGlobalAlertSettings, runParallel }: Judged): Warning[] {
  if (alertSettings === null) return [];
  const escalation = escalationOf([alertSettings]);
  const isParallel = alertSettings.parallelRunFailureThreshold?.enabled === true;
  const isDefault = escalation.type === 'RUN_BASED' && escalation.runs === 1;
  if (useGlobalAlertSettings) {
    const isSet = !isDefault || remindersOf(alertSettings) !== null || isParallel;
    return isSet ? [{ path: 'alertSettings', message: 'has no effect while useGlobalAlertSettings is true' }] : [];
  }
  if (!isParallel || runParallel) return [];
  const message = 'has no effect while runParallel is false';
  return [{ path: 'alertSettings.parallelRunFailureThreshold', message }];
}

function parallelWarnings(check: Judged): Warning[] {
  if (!check.runParallel || namedLocations(check).length > 1) return [];
  return [{ path: 'runParallel', message: 'has no effect with fewer than two locations' }];
}
