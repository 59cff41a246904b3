// Slots of a check, from its id and interval.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { derivedId } from '#lib/id.ts';
import { intervalMs, nextSlot, phaseMs } from './slot.ts';

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
