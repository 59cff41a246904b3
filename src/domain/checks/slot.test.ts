// When a check is due, from its id and its interval alone.
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

  it('are due at the instant itself when that is a slot, else at the next', () => {
    const slot = nextSlot(start, 60_000, 12_345);
    assert.equal(slot, start + 12_345);
    assert.equal(nextSlot(slot, 60_000, 12_345), slot);
    assert.equal(nextSlot(slot + 1, 60_000, 12_345), slot + 60_000);
    assert.equal(nextSlot(slot - 1, 60_000, 12_345), slot);
  });

  it('do not depend on when they are asked for: a restart moves none', () => {
    for (let ms = 0; ms < 300_000; ms += 777) {
      const slot = nextSlot(start + ms, 20_000, 19_999);
      assert.equal((slot - 19_999) % 20_000, 0);
      assert.ok(slot >= start + ms && slot < start + ms + 20_000);
    }
  });

  it('spread over the interval, for ids made one after the other and for random ones', () => {
    for (const interval of [10_000, 60_000, 86_400_000]) {
      for (const id of [(n: number) => derivedId(start + n, n), () => crypto.randomUUID()]) {
        const parts = Array.from({ length: 20 }, () => 0);
        for (let n = 0; n < 20_000; n++) {
          const phase = phaseMs(id(n), interval);
          assert.ok(Number.isInteger(phase) && phase >= 0 && phase < interval);
          const part = Math.floor((phase / interval) * 20);
          parts[part] = (parts[part] ?? 0) + 1;
        }
        // 1000 expected in each twentieth, with a standard deviation of 31.
        for (const count of parts) assert.ok(count > 800 && count < 1200, `${interval}: ${parts.join(' ')}`);
      }
    }
  });

  it('stay where they are from one version to the next', () => {
    assert.equal(phaseMs('3f0c9a52-7d1e-4c58-9b11-6f2f0f6a4b27', 60_000), 21_710);
  });
});
