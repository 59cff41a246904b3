// Formats a stored HTTP result for the API (reference §4.7: apiCheckResult).
import type { Measures } from '#domain/results/analytics.ts';
import { phaseNames } from '#domain/results/phases.ts';
import type { Check } from '#domain/checks/check.ts';
import type { JsonObject, JsonValue } from '#domain/json.ts';
import type { Result } from '#domain/results/result.ts';
import type { KindFacts } from '../../kind.ts';
import { type ApiDetails, decodeDetails, decodeStatus, totalOf } from './details.ts';
import { object, text } from '../read.ts';

/** Formats a stored result. Without the exchange, uses the short response from the details. */
export function describeHttp(
  result: Pick<Result, 'details' | 'message' | 'reason'>,
  exchange: JsonObject | null,
): JsonObject {
  const details = decodeDetails(result.details);
  const { address, protocol, sizes, redirects } = details;
  return {
    assertions: details.assertions.map(({ among: _among, isEvery: _isEvery, ...shown }) => shown),
    request: exchange?.['request'] ?? null,
    response: responseOf(details, exchange),
    requestError: details.status === null ? result.message : null,
    address,
    protocol: protocol === null ? null : { ...protocol },
    sizes: { ...sizes },
    redirects: redirects.map((redirect) => ({ ...redirect })),
  };
}

function responseOf(details: ApiDetails, exchange: JsonObject | null): JsonObject | null {
  const response = exchange?.['response'] ?? (details.status === null ? null : shortResponse(details));
  if (response === null || details.areTimesWithheld !== true) return response as JsonObject | null;
  return { ...(response as JsonObject), timings: null, timingPhases: null };
}

function shortResponse({ status, statusText, truncated, phases }: ApiDetails): JsonObject {
  const total = Number(totalOf(phases).toFixed(3));
  return {
    status,
    statusText,
    headers: null,
    body: null,
    truncated,
    timings: null,
    timingPhases: { ...phases, total },
  };
}

/** Facts for alerts: the check's URL and the response status. */
export function httpAlertFacts(check: Pick<Check, 'settings'>, details: JsonValue): KindFacts {
  return { url: text(object(check.settings['request'])['url']) || null, ...decodeStatus(details) };
}

export const httpMeasures: Measures = { statusCode: true, phases: phaseNames };
