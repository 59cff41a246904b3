// Certificates: remaining days, and the steps at which alerts are sent.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { alertTypes, sslDaysRemaining, sslStep } from './alert.ts';

const day = 86_400_000;

describe('the types of alerts', () => {
  it('are the five of the specification', () => {
    assert.deepEqual([...alertTypes].sort(), [
      'ALERT_DEGRADED',
      'ALERT_DEGRADED_RECOVERY',
      'ALERT_FAILURE',
      'ALERT_RECOVERY',
      'ALERT_SSL',
    ]);
  });
});

describe('the days left on a certificate', () => {
  const rows: readonly [leftMs: number, days: number][] = [
    [30 * day, 30],
    [30 * day - 1, 29],
    [day, 1],
    [day - 1, 0],
    [0, 0],
    [-1, -1],
    [-day, -1],
    [-day - 1, -2],
  ];
  for (const [leftMs, days] of rows) {
    it(`are ${days} when ${leftMs} ms are left`, () => {
      const now = Date.UTC(2026, 2, 10);
      assert.equal(sslDaysRemaining({ domain: 'd', fingerprint: 'f', validTo: now + leftMs }, now), days);
    });
  }
});

describe('the step of a certificate', () => {
  const rows: readonly [threshold: number, steps: Readonly<Record<number, number | null>>][] = [
    [
      30,
      { 365: null, 31: null, 30: 30, 15: 30, 14: 14, 8: 14, 7: 7, 4: 7, 3: 3, 2: 3, 1: 1, 0: 1, '-1': 0, '-400': 0 },
    ],
    [20, { 30: null, 21: null, 20: 20, 15: 20, 14: 14, 1: 1, '-1': 0 }],
    [14, { 20: null, 15: null, 14: 14, 8: 14, 7: 7, 0: 1 }],
    [5, { 14: null, 7: null, 6: null, 5: 5, 4: 5, 3: 3, 2: 3, 1: 1 }],
    [1, { 3: null, 2: null, 1: 1, 0: 1, '-1': 0 }],
  ];
  for (const [threshold, steps] of rows) {
    it(`starts at the channel's threshold of ${threshold} days`, () => {
      for (const [days, step] of Object.entries(steps)) {
        assert.equal(sslStep(Number(days), threshold), step, `${days} days left`);
      }
    });
  }
});
