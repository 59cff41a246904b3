// Records to begin a test with: valid, plain, and changed in the part that matters.
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { type Check, plainCheck } from '#domain/checks/check.ts';
import type { Rendered } from '#domain/results/recording.ts';
import type { MaintenanceWindow } from '#domain/checks/maintenance-window.ts';
import type { ProcessSign } from '#domain/accounts/process.ts';
import { newId } from '#lib/id.ts';

/** An activated API check that runs every ten minutes. */
export function aCheck(accountId: string, change: Partial<Check> = {}): Check {
  return {
    ...plainCheck,
    accountId,
    id: newId(),
    checkType: 'API',
    name: 'Shop',
    settings: { request: { method: 'GET', url: 'https://shop.example/' } },
    createdAt: 0,
    ...change,
  };
}

/** An activated group that leaves everything to its checks. */
export function aGroup(accountId: string, change: Partial<CheckGroup> = {}): CheckGroup {
  return {
    accountId,
    id: 0,
    name: 'Shops',
    activated: true,
    muted: false,
    mutedUntil: null,
    mutedUntilRecovery: false,
    mutedFrom: null,
    dependsOn: [],
    tags: [],
    locations: [],
    privateLocations: null,
    concurrency: 3,
    runtimeId: null,
    environmentVariables: [],
    apiCheckDefaults: {},
    browserCheckDefaults: {},
    doubleCheck: false,
    runParallel: null,
    useGlobalAlertSettings: null,
    alertSettings: null,
    retryStrategy: 'FALLBACK',
    setupSnippetId: null,
    tearDownSnippetId: null,
    localSetupScript: null,
    localTearDownScript: null,
    createdAt: 0,
    updatedAt: null,
    ...change,
  };
}

/** An unsigned webhook channel with the default switches. */
export function aChannel(accountId: string, change: Partial<AlertChannel> = {}): AlertChannel {
  return {
    accountId,
    id: 0,
    type: 'WEBHOOK',
    config: { name: 'Hook', url: 'http://127.0.0.1:9/', method: 'POST' },
    secrets: {},
    sendRecovery: true,
    sendFailure: true,
    sendDegraded: false,
    sslExpiry: false,
    sslExpiryThreshold: 30,
    autoSubscribe: false,
    grouping: false,
    activeHours: null,
    report: null,
    exhaustedInARow: 0,
    failingSince: null,
    createdAt: 0,
    updatedAt: null,
    ...change,
  };
}

/** Renders for checks that are deleted while nothing is open: what it makes is seen as a delivery that failed. */
export function noNotifications(): Rendered {
  return { error: 'nothing is notified here' };
}

/** A single maintenance window in UTC with defaults. */
export function aWindow(accountId: string, change: Partial<MaintenanceWindow> = {}): MaintenanceWindow {
  return {
    accountId,
    id: 1,
    name: 'Works',
    description: null,
    tags: [],
    startsAt: 0,
    endsAt: 0,
    repeatInterval: null,
    repeatUnit: null,
    repeatEndsAt: null,
    timezone: 'UTC',
    pauseAllChecks: false,
    silenceAllAlerts: false,
    isPublic: false,
    silenceAlertsTags: [],
    skippedOccurrences: [],
    checkIds: [],
    groupIds: [],
    createdAt: 0,
    updatedAt: null,
    ...change,
  };
}

/** The heartbeat of a runner without leases. */
export function aSign(change: Partial<ProcessSign> = {}): Omit<ProcessSign, 'seenAt'> {
  return {
    id: newId(),
    roles: ['runner'],
    version: '1.2.3',
    location: { code: 'eu', name: 'Europe' },
    host: 'cellar',
    pid: 42,
    publicUrl: null,
    startedAt: 1_700_000_000_000,
    holds: { runs: 0, deliveries: 0 },
    noBrowserSince: null,
    resolverDownSince: null,
    listeners: [],
    scriptsRefused: null,
    stalled: [],
    notices: [],
    ...change,
  };
}
