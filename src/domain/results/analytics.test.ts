// Figures computed from roll-ups.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { availabilityOf } from './analytics.ts';

test('availability is 100% only without any failure', () => {
  const year = 365 * 86_400_000;
  const shares = [0, 1, 3_153_600, year].map((downMs) => availabilityOf({ knownMs: year, downMs }));
  assert.deepEqual(shares, [100, 99.9999, 99.99, 0]);
});
