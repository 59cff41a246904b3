// Due times of a check, from its id, interval, group and locations.
import assert from 'node:assert/strict';
import { test, describe, it } from 'node:test';
import { aCheck, aGroup } from '../../../tests/support/store/records.ts';
import { scheduleOf, phaseMs, intervalMs, nextSlot } from './schedule.ts';
import { derivedId } from '#lib/id.ts';

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

describe('the interval of a check', () => {
  const rows: readonly [frequency: number, offset: number | null, ms: number][] = [
    [1, null, 60_000],
    [1, 15, 60_000],
    [1440, null, 86_400_000],
    [0, 10, 10_000],
    [0, 20, 20_000],
    [0, 30, 30_000],
    [0, null, 10_000],
  ];
  for (const [frequency, offset, ms] of rows) {
    it(`is ${ms} ms for a frequency of ${frequency} and an offset of ${offset}`, () => {
      assert.equal(intervalMs(frequency, offset), ms);
    });
  }
});

describe('the slots of a check', () => {
  const start = Date.UTC(2026, 2, 10);

  it('include the given instant if it is a slot, otherwise the next one', () => {
    const slot = nextSlot(start, 60_000, 12_345);
    assert.equal(slot, start + 12_345);
    assert.equal(nextSlot(slot, 60_000, 12_345), slot);
    assert.equal(nextSlot(slot + 1, 60_000, 12_345), slot + 60_000);
    assert.equal(nextSlot(slot - 1, 60_000, 12_345), slot);
  });

  it('do not depend on the time of the call, so a restart moves none', () => {
    for (let ms = 0; ms < 300_000; ms += 777) {
      const slot = nextSlot(start + ms, 20_000, 19_999);
      assert.equal((slot - 19_999) % 20_000, 0);
      assert.ok(slot >= start + ms && slot < start + ms + 20_000);
    }
  });

  it('are spread over the interval, for consecutive and random ids', () => {
    for (const interval of [10_000, 60_000, 86_400_000]) {
      for (const id of [(n: number) => derivedId(start + n, n), () => crypto.randomUUID()]) {
        const parts = Array.from({ length: 20 }, () => 0);
        for (let n = 0; n < 20_000; n++) {
          const phase = phaseMs(id(n), interval);
          assert.ok(Number.isInteger(phase) && phase >= 0 && phase < interval);
          const part = Math.floor((phase / interval) * 20);
          parts[part] = (parts[part] ?? 0) + 1;
        }
        // 1000 are expected in each twentieth, with a standard deviation of 31.
        for (const count of parts) assert.ok(count > 800 && count < 1200, `${interval}: ${parts.join(' ')}`);
      }
    }
  });

  it('do not change between versions', () => {
    assert.equal(phaseMs('3f0c9a52-7d1e-4c58-9b11-6f2f0f6a4b27', 60_000), 21_710);
  });
});
