// Probing a target with the real probe and the real guard, as tests do it.
import { apiKind } from '#checks/kinds/api/api-kind.ts';
import { type ApiDetails, decodeDetails } from '#checks/parts/http/details.ts';
import type { ProbeDeps } from '#checks/kind.ts';
import type { Check } from '#domain/checks/check.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Finding } from '#domain/results/result.ts';
import { createGuard, type EgressMode } from '#egress/guard.ts';
import { apiCheck, inputOf } from './api-check.ts';

/** What a test says beyond the request. */
export interface ProbeOptions {
  readonly settings?: JsonObject;
  readonly check?: Partial<Check>;
  readonly variables?: readonly EnvironmentVariable[];
  readonly group?: CheckGroup;
  readonly deps?: Partial<ProbeDeps>;
  readonly mode?: EgressMode;
}

/** Looks at a target once. */
export function probeOnce(request: JsonObject, options: ProbeOptions = {}): Promise<Finding> {
  const guard = createGuard({ mode: options.mode ?? 'any', allow: [] });
  const probe = apiKind.createProbe({ guard, version: '9.9', ...options.deps });
  const check = apiCheck(request, options.settings, options.check);
  return probe(inputOf(check, options.variables, options.group ?? null), new AbortController().signal);
}

/** Request and answer as the finding shows them; null when it has none. */
export function exchangeOf({ exchange }: Finding): JsonObject | null {
  return exchange === null ? null : (JSON.parse(exchange) as JsonObject);
}

/** The answer as the finding shows it. */
export function responseOf(finding: Finding): JsonObject {
  const response = exchangeOf(finding)?.['response'];
  if (typeof response !== 'object' || response === null || Array.isArray(response))
    throw new Error('there was no answer');
  return response as JsonObject;
}

/** The details of a finding, readable. */
export function detailsOf(finding: Finding): ApiDetails {
  return decodeDetails(finding.details);
}

/** Verdict and reason together, for comparing. */
export function verdictOf({ verdict, reason }: Finding): string {
  return reason === null ? verdict : `${verdict} ${reason}`;
}
