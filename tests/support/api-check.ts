// Builders of API checks for tests: everything at its default, but for what a test names.
import type { Check } from '#domain/check.ts';
import type { CheckGroup } from '#domain/check-group.ts';
import type { EnvironmentVariable } from '#domain/environment-variable.ts';
import type { JsonObject } from '#domain/json.ts';
import type { ProbeInput } from '#domain/probe.ts';

/** An API check whose request is `request`, and whose other settings are `settings`. */
export function apiCheck(request: JsonObject, settings: JsonObject = {}, check: Partial<Check> = {}): Check {
  return {
    accountId: '0198a000-0000-7000-8000-000000000001',
    id: '0198a000-0000-7000-8000-0000000000c1',
    checkType: 'API',
    name: 'An API check',
    description: null,
    activated: true,
    muted: false,
    shouldFail: false,
    doubleCheck: true,
    locations: [],
    privateLocations: null,
    tags: [],
    frequency: 10,
    frequencyOffset: null,
    runParallel: false,
    groupId: null,
    groupOrder: null,
    runtimeId: null,
    runtimeFallback: false,
    environmentVariables: [],
    alertSettings: null,
    useGlobalAlertSettings: true,
    retryStrategy: null,
    triggerIncident: null,
    settings: { ...settings, request: { method: 'GET', ...request } },
    createdAt: 0,
    updatedAt: null,
    ...check,
  };
}

/** A group that gives its API checks `apiCheckDefaults`. */
export function groupWith(apiCheckDefaults: JsonObject): CheckGroup {
  return {
    accountId: '0198a000-0000-7000-8000-000000000001',
    id: 1,
    name: 'A group',
    activated: true,
    muted: false,
    tags: [],
    locations: [],
    privateLocations: null,
    concurrency: 3,
    runtimeId: null,
    environmentVariables: [],
    apiCheckDefaults,
    browserCheckDefaults: {},
    doubleCheck: true,
    runParallel: null,
    useGlobalAlertSettings: null,
    alertSettings: null,
    retryStrategy: null,
    setupSnippetId: null,
    tearDownSnippetId: null,
    localSetupScript: null,
    localTearDownScript: null,
    createdAt: 0,
    updatedAt: null,
  };
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
  return { check, revision: 1, group, variables };
}
