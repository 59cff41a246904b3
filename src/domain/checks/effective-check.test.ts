// Effective configuration of a check in a group.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCheck, aGroup } from '../../../tests/support/store/records.ts';
import { effectiveCheck } from './effective-check.ts';

const own = aCheck('a', {
  locations: ['here'],
  privateLocations: ['cellar'],
  alertSettings: { escalationType: 'TIME_BASED' },
  useGlobalAlertSettings: false,
  retryStrategy: null,
});

test('a check uses its own configuration without a group or if its group sets nothing', () => {
  assert.equal(effectiveCheck(own, null), own);
  assert.deepEqual(effectiveCheck(own, aGroup('a')), own);
});

test('settings of a group override those of its checks', () => {
  const group = aGroup('a', {
    locations: ['there'],
    runParallel: true,
    useGlobalAlertSettings: true,
    retryStrategy: null,
  });
  const check = effectiveCheck({ ...own, retryStrategy: { ...linear } }, group);
  assert.deepEqual(check.locations, ['there']);
  assert.equal(check.privateLocations, null, "the group's locations apply as a whole");
  assert.equal(check.runParallel, true);
  assert.equal(check.useGlobalAlertSettings, true);
  assert.equal(check.retryStrategy, null, 'null means no retries');
});

const linear = {
  type: 'LINEAR',
  baseBackoffSeconds: 1,
  maxRetries: 2,
  maxDurationSeconds: 600,
  sameRegion: true,
} as const;

test('a group with the FALLBACK strategy leaves retries to its checks', () => {
  const check = { ...own, retryStrategy: linear };
  assert.equal(effectiveCheck(check, aGroup('a', { retryStrategy: 'FALLBACK' })).retryStrategy, linear);
});

test('alert settings of a group come first if it uses them, its own before those of the check', () => {
  const say = { useGlobalAlertSettings: false, alertSettings: { escalationType: 'RUN_BASED' } } as const;
  assert.deepEqual(effectiveCheck(own, aGroup('a', say)).alertSettings, say.alertSettings);
  const silent = effectiveCheck(own, aGroup('a', { ...say, alertSettings: null }));
  assert.deepEqual(silent.alertSettings, own.alertSettings);
});

for (const [check, group, both] of [
  [true, true, true],
  [true, false, false],
  [false, true, false],
  [false, false, false],
] as const) {
  test(`a check that is ${check ? '' : 'de'}activated in a group that is ${group ? '' : 'de'}activated ${both ? 'runs' : 'does not run'}`, () => {
    const effective = effectiveCheck(
      { ...own, activated: check, muted: !check },
      aGroup('a', { activated: group, muted: !group }),
    );
    assert.equal(effective.activated, both);
    assert.equal(effective.muted, !both, 'either is enough to mute');
  });
}

test("a check's runtime overrides its group's", () => {
  const group = aGroup('a', { runtimeId: '2026.04' });
  assert.equal(effectiveCheck({ ...own, runtimeId: '2025.04' }, group).runtimeId, '2025.04');
  assert.equal(effectiveCheck(own, group).runtimeId, '2026.04');
});
