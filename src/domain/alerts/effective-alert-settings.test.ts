// Who decides the alert settings of a check.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertSettings } from './alert-settings.ts';
import { effectiveAlertSettings } from './effective-alert-settings.ts';

const runs = (failedRunThreshold: number): AlertSettings => ({
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold },
});
const reminders = { amount: 2, interval: 10 };
const account: AlertSettings = { ...runs(5), reminders };

const deciders = [
  ['the check with settings of its own', { useGlobalAlertSettings: false, alertSettings: runs(2) }, null, 'check', 2],
  ['the account if the check has none', { useGlobalAlertSettings: true, alertSettings: runs(2) }, null, 'account', 5],
  [
    'the check if its group leaves it open',
    { useGlobalAlertSettings: false, alertSettings: runs(2) },
    { useGlobalAlertSettings: null, alertSettings: runs(3) },
    'check',
    2,
  ],
  [
    'the group with settings of its own',
    { useGlobalAlertSettings: true, alertSettings: null },
    { useGlobalAlertSettings: false, alertSettings: runs(3) },
    'group',
    3,
  ],
  [
    'the account if the group says so',
    { useGlobalAlertSettings: false, alertSettings: runs(2) },
    { useGlobalAlertSettings: true, alertSettings: runs(3) },
    'account',
    5,
  ],
  [
    'the check if its group has no settings to decide with',
    { useGlobalAlertSettings: true, alertSettings: runs(2) },
    { useGlobalAlertSettings: false, alertSettings: null },
    'check',
    2,
  ],
] as const;

for (const [who, check, group, source, threshold] of deciders) {
  test(`alert settings are decided by ${who}`, () => {
    const found = effectiveAlertSettings(check, group, account);
    assert.deepEqual([found.source, found.escalationSource], [source, source]);
    assert.equal(found.settings.runBasedEscalation?.failedRunThreshold, threshold);
    assert.deepEqual(found.settings.reminders, source === 'account' ? reminders : undefined);
  });
}

test('settings without an escalation take only that from the account', () => {
  const check = { useGlobalAlertSettings: false, alertSettings: { reminders: { amount: 1, interval: 5 } } };
  assert.deepEqual(effectiveAlertSettings(check, null, account), {
    settings: { ...runs(5), reminders: { amount: 1, interval: 5 } },
    source: 'check',
    escalationSource: 'account',
  });
});

test('nobody decides if nothing is set', () => {
  const check = { useGlobalAlertSettings: true, alertSettings: null };
  const found = { settings: {}, source: 'default', escalationSource: 'default' };
  assert.deepEqual(effectiveAlertSettings(check, null, null), found);
});
