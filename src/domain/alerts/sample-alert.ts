// Sample alerts for previews and test messages.
import type { AlertType } from './alert.ts';
import { type Check, plainCheck } from '../checks/check.ts';
import type { DeliveryIncident } from './incident.ts';
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { CheckContext } from '../results/recording.ts';
import type { Finding } from '../results/result.ts';

const dayMs = 86_400_000;

/** Facts of a sample alert instead of those of a check, its group and a result. */
export interface SampleAlert {
  readonly context: CheckContext;
  readonly finding: Finding;
  readonly resultId: string;
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
}

const sampleCheckId = '00000000-0000-4000-8000-000000000001';
const sampleResultId = '00000000-0000-4000-8000-000000000002';
const sampleIncidentId = '00000000-0000-4000-8000-000000000003';
const url = 'https://shop.example/cart';

/** Whether this is the ID of the sample incident, which does not exist. */
export function isSampleIncident(incidentId: string): boolean {
  return incidentId === sampleIncidentId;
}

/** Whether this is the ID of the sample result, which does not exist. */
export function isSampleResult(resultId: string): boolean {
  return resultId === sampleResultId;
}

/** The incident of a sample alert: a minute old when it is alerted, twelve when it is over. @param now epoch ms */
export function sampleIncident(alertType: AlertType, now: number): DeliveryIncident | null {
  if (alertType === 'ALERT_SSL') return null;
  const isOpening = alertType === 'ALERT_FAILURE' || alertType === 'ALERT_DEGRADED';
  return { id: sampleIncidentId, startedAt: now - (isOpening ? 1 : 12) * 60_000, isFirst: isOpening };
}

/**
 * A sample of an alert type, with the account's own variables.
 * @param now epoch ms
 */
export function sampleAlert(
  alertType: AlertType,
  accountId: string,
  variables: readonly EnvironmentVariable[],
  now: number,
): SampleAlert {
  const isFailure = alertType === 'ALERT_FAILURE';
  const isDegraded = alertType === 'ALERT_DEGRADED';
  const check = sampleCheck(accountId, now);
  return {
    context: {
      check,
      group: null,
      variables,
      accountAlertSettings: null,
      accountRuntimeId: null,
      accountTimeZone: null,
      maintenanceWindows: [],
      revision: 0,
    },
    finding: {
      verdict: isFailure ? 'failed' : isDegraded ? 'degraded' : 'passed',
      reason: isFailure ? 'status' : isDegraded ? 'slow' : null,
      message: isFailure
        ? 'expected a status below 400, got 503 Service Unavailable'
        : isDegraded
          ? 'answered after 3210 ms; more than 3000 ms is degraded'
          : null,
      startedAt: now - 1500,
      stoppedAt: now - 300,
      responseTimeMs: isDegraded ? 3210.4 : 182.6,
      loopDelayMs: 0,
      details: null,
      exchange: null,
      certificate: {
        domain: 'shop.example',
        fingerprint: 'AB:CD:EF',
        // Half a day more than a week, so that it says 7 days.
        validTo: now + 7.5 * dayMs,
      },
    },
    resultId: sampleResultId,
    url,
    status: isFailure ? 503 : 200,
    statusText: isFailure ? 'Service Unavailable' : 'OK',
  };
}

function sampleCheck(accountId: string, now: number): Check {
  return {
    ...plainCheck,
    accountId,
    id: sampleCheckId,
    checkType: 'API',
    name: 'Cart of the shop',
    description: 'Adds an article and reads the cart',
    runbookUrl: 'https://wiki.example.com/cart',
    notes: 'If only the cart fails, restart its cache first.',
    tags: ['shop', 'env:production'],
    frequency: 1,
    settings: { request: { method: 'GET', url } },
    createdAt: now,
    updatedAt: null,
  };
}
