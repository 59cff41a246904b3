// When a check is due, as its id, interval, group and locations say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aCheck, aGroup } from '../../../tests/support/store/records.ts';
import { scheduleOf } from './schedule.ts';
import { phaseMs } from './slot.ts';

test('a check is due at a phase that follows from its id alone', () => {
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

test('a check that is deactivated, or whose group is, has no schedule', () => {
  assert.equal(scheduleOf(aCheck('a', { activated: false }), null), null);
  assert.equal(scheduleOf(aCheck('a'), aGroup('a', { activated: false })), null);
});

test('a group says where its checks run, and whether everywhere at once', () => {
  const schedule = scheduleOf(
    aCheck('a', { locations: ['x'] }),
    aGroup('a', { locations: ['y', 'z'], runParallel: true }),
  );
  assert.deepEqual(schedule?.locations, ['y', 'z']);
  assert.equal(schedule.runParallel, true);
});
