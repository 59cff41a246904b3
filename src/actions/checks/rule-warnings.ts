// Warnings about settings of any check type that are valid but have no effect.
import { escalationOf, remindersOf } from '#domain/alerts/alert-settings.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { Check } from '#domain/checks/check.ts';
import type { Warning } from '../warnings.ts';

type Judged = Pick<
  Check,
  'checkType' | 'retryStrategy' | 'alertSettings' | 'useGlobalAlertSettings' | 'runParallel' | 'locations'
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

function parallelWarnings({ runParallel, locations }: Judged): Warning[] {
  if (!runParallel || locations.length > 1) return [];
  return [{ path: 'runParallel', message: 'has no effect with fewer than two locations' }];
}
