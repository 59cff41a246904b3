// Due times of a check, from its id, interval, group and locations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCheck, aGroup } from '../../../tests/support/store/records.ts';
import { scheduleOf } from './schedule.ts';
import { phaseMs } from './slot.ts';

test('a check has a phase that depends only on its id', () => {
  const check = aCheck('a', { frequency: 5 });
  const schedule = scheduleOf(check, null);
  assert.equal(schedule?.intervalMs, 300_000);
  assert.equal(schedule.phaseMs, phaseMs(check.id, 300_000));
  assert.deepEqual(scheduleOf({ ...check, name: 'Other', muted: true }, null), schedule);
});

test('an offset is the phase of a check that runs every few minutes, within its interval', () => {
  assert.equal(scheduleOf(aCheck('a', { frequency: 1, frequencyOffset: 17 }), null)?.phaseMs, 17_000);
  assert.equal(scheduleOf(aCheck('a', { frequency: 1, frequencyOffset: 77 }), null)?.phaseMs, 17_000);
});

test('an offset is the interval of a check with frequency 0', () => {
  const check = aCheck('a', { frequency: 0, frequencyOffset: 20 });
  const schedule = scheduleOf(check, null);
  assert.equal(schedule?.intervalMs, 20_000);
  assert.equal(schedule.phaseMs, phaseMs(check.id, 20_000));
});

test('a deactivated check or a check in a deactivated group has no schedule', () => {
  assert.equal(scheduleOf(aCheck('a', { activated: false }), null), null);
  assert.equal(scheduleOf(aCheck('a'), aGroup('a', { activated: false })), null);
});

test('a group determines the locations of its checks, and whether they run in parallel', () => {
  const schedule = scheduleOf(
    aCheck('a', { locations: ['x'] }),
    aGroup('a', { locations: ['y', 'z'], runParallel: true }),
  );
  assert.deepEqual(schedule?.locations, ['y', 'z']);
  assert.equal(schedule.runParallel, true);
});
