// Builders of API checks for tests: everything at its default, but for what a test names.
import type { Check } from '#domain/checks/check.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { JsonObject } from '#domain/json.ts';
import type { ProbeInput } from '#domain/checks/probe.ts';
import { aCheck, aGroup } from '../store/records.ts';

const accountId = '0198a000-0000-7000-8000-000000000001';

/** An API check whose request is `request`, and whose other settings are `settings`. */
export function apiCheck(request: JsonObject, settings: JsonObject = {}, check: Partial<Check> = {}): Check {
  return aCheck(accountId, {
    id: '0198a000-0000-7000-8000-0000000000c1',
    name: 'An API check',
    settings: { ...settings, request: { method: 'GET', ...request } },
    ...check,
  });
}

/** A group that gives its API checks `apiCheckDefaults`. */
export function groupWith(apiCheckDefaults: JsonObject): CheckGroup {
  return aGroup(accountId, { id: 1, apiCheckDefaults });
}

/** A plain environment variable, or a secret one. */
export function variable(key: string, value: string, secret = false): EnvironmentVariable {
  return { key, value, locked: false, secret };
}

/** What a probe of that check is given. */
export function inputOf(
  check: Check,
  variables: readonly EnvironmentVariable[] = [],
  group: CheckGroup | null = null,
): ProbeInput {
  return { check, revision: 1, group, variables, accountRuntimeId: null };
}
