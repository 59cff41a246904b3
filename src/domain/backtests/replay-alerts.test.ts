// A replay ends early, and says when, if the time between results has too much to consider.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainCheck } from '../checks/check.ts';
import type { BacktestCheck } from './backtest.ts';
import { replayAlerts } from './replay-alerts.ts';

const dayMs = 86_400_000;

test('checks that fail under a silencing window cannot keep a replay busy without end', () => {
  const window = {
    accountId: 'a',
    id: 1,
    name: 'Works',
    description: null,
    tags: [],
    startsAt: 0,
    endsAt: 100 * dayMs,
    repeatInterval: null,
    repeatUnit: null,
    repeatEndsAt: null,
    timezone: 'UTC',
    pauseAllChecks: false,
    silenceAllAlerts: true,
    isPublic: false,
    skippedOccurrences: [],
    silenceAlertsTags: [],
    checkIds: [],
    groupIds: [],
    createdAt: 0,
    updatedAt: null,
  } as const;
  const blank = {
    variables: [],
    accountAlertSettings: null,
    accountRuntimeId: null,
    accountTimeZone: null,
    revision: 0,
  };
  const checks = Array.from({ length: 60 }, (_, n): BacktestCheck => {
    const own = { accountId: 'a', id: `c${n}`, checkType: 'API', name: `c${n}`, settings: {}, createdAt: 0 };
    const check = { ...plainCheck, ...own, frequency: 1440 };
    return { context: { check, group: null, maintenanceWindows: [window], ...blank }, listeners: [] };
  });
  const results = checks.map(({ context: { check } }) => {
    const at = { at: dayMs, startedAt: dayMs, endedAt: dayMs };
    return { id: check.id, checkId: check.id, outcome: 'failed', location: 'local', ...at } as const;
  });
  const { alerts, to } = replayAlerts({ checks, results, locations: ['local'], to: 30 * dayMs });
  assert.deepEqual(alerts, []);
  assert.ok(to > dayMs && to < 3 * dayMs, `until ${to / dayMs} days`);
});
