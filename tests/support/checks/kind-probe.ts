// Probing a target with the real probe of any kind and the real guard, as tests do it.
import { kindOf } from '#checks/check-kinds.ts';
import type { ProbeDeps } from '#checks/kind.ts';
import type { Check, CheckType } from '#domain/checks/check.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { JsonObject } from '#domain/json.ts';
import type { Finding } from '#domain/results/result.ts';
import { createGuard, type EgressPolicy } from '#egress/guard.ts';
import { inputOf } from './api-check.ts';
import { aCheck } from '../store/records.ts';

/** What a test says beyond the settings. */
export interface KindProbeOptions {
  readonly check?: Partial<Check>;
  readonly variables?: readonly EnvironmentVariable[];
  readonly deps?: Partial<ProbeDeps>;
  readonly egress?: Partial<EgressPolicy>;
}

/** Looks once at what a check of that type with those settings watches. */
export function probeKind(
  checkType: CheckType,
  settings: JsonObject,
  options: KindProbeOptions = {},
): Promise<Finding> {
  return startProbing(checkType, options)(settings);
}

/** A probe that looks again and again, at checks of different settings: what it remembers it goes on remembering. */
export function startProbing(
  checkType: CheckType,
  options: KindProbeOptions = {},
): (settings: JsonObject) => Promise<Finding> {
  const { probe, input } = preparing(checkType, options);
  return (settings) => probe(input(settings), new AbortController().signal);
}

function preparing(checkType: CheckType, options: KindProbeOptions) {
  const guard = createGuard({ mode: 'any', allow: [], ...options.egress });
  const kind = kindOf(checkType);
  if (kind.isScripted === true || kind.isCalled === true) throw new Error(`${checkType} checks are not probed`);
  const probe = kind.createProbe({ guard, version: '9.9', ...options.deps });
  const input = (settings: JsonObject) => {
    const check = aCheck('0198a000-0000-7000-8000-000000000001', { checkType, settings, ...options.check });
    return inputOf(check, options.variables);
  };
  return { probe, input };
}

/** A probe that looks again and again at one check, as it stays unchanged. */
export function startPlanned(
  checkType: CheckType,
  settings: JsonObject,
  options: KindProbeOptions = {},
): () => Promise<Finding> {
  const { probe, input } = preparing(checkType, options);
  const same = input(settings);
  return () => probe(same, new AbortController().signal);
}

/** The part of the result that belongs to the type, as the API shows it where all of it was kept. */
export function describedKind(checkType: CheckType, finding: Finding): JsonObject {
  const exchange = finding.exchange === null ? null : (JSON.parse(finding.exchange) as JsonObject);
  return kindOf(checkType).describeResult(finding, exchange);
}

/** The problems of settings, `path: message` each. */
export function problemsOfKind(checkType: CheckType, settings: JsonObject): string[] {
  return kindOf(checkType)
    .validateSettings(settings)
    .map(({ path, message }) => `${path}: ${message}`);
}
