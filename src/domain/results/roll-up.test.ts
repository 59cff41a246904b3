// Roll-ups of results, and the distribution of missed slots over time.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { addResult, type CountedResult, emptyRollUp, hourMs, isLate, isLong, slotsWithin } from './roll-up.ts';

const minuteMs = 60_000;
const result: CountedResult = { isFinal: true, outcome: 'passed', slots: 1, intervalMs: minuteMs, responseUs: 1000 };

describe('a roll-up', () => {
  it('counts outcomes, and known, down and unknown time', () => {
    const rollUp = emptyRollUp();
    for (const change of [
      {},
      { outcome: 'degraded', responseUs: 9000 },
      { outcome: 'failed', responseUs: null },
      { outcome: 'unknown' },
      { outcome: 'missed', slots: 5, responseUs: null },
      { isFinal: false, outcome: 'failed' },
      { intervalMs: null, outcome: 'failed', responseUs: 50 },
    ] as const) {
      addResult(rollUp, { ...result, ...change });
    }
    const { responses, failedResponses, ...counts } = rollUp;
    assert.deepEqual(counts, {
      passed: 1,
      degraded: 1,
      failed: 2,
      unknown: 1,
      missed: 5,
      retries: 1,
      knownMs: 3 * minuteMs,
      downMs: minuteMs,
      unknownMs: 6 * minuteMs,
    });
    assert.deepEqual([responses.count, responses.sum, responses.least, responses.max], [2, 10_000, 1000, 9000]);
    assert.deepEqual([failedResponses.count, failedResponses.sum], [1, 50]);
  });
});

describe('a series of missed slots', () => {
  it('assigns each slot to exactly one span, for any division of time', () => {
    const instant = fc.integer({ min: 0, max: 1000 });
    fc.assert(
      fc.property(
        instant,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 40 }),
        instant,
        instant,
        (...of) => {
          const [slotAt, slots, intervalMs, a, b] = of;
          const stretch = { slotAt, slots, intervalMs };
          const [from, to] = [Math.min(a, b), Math.max(a, b)];
          const all = Array.from({ length: slots }, (_, index) => slotAt + index * intervalMs);
          assert.equal(slotsWithin(stretch, from, to), all.filter((at) => at >= from && at < to).length);
        },
      ),
    );
  });

  it('is long if a slot lies after its first hour', () => {
    assert.equal(isLong({ slotAt: hourMs - 2 * minuteMs, slots: 2, intervalMs: minuteMs }), false);
    assert.equal(isLong({ slotAt: hourMs - 2 * minuteMs, slots: 3, intervalMs: minuteMs }), true);
    assert.equal(isLong({ slotAt: 0, slots: 1, intervalMs: 24 * hourMs }), false);
  });
});

describe('a result', () => {
  it('is late from one minute after the end of its hour', () => {
    assert.equal(isLate(hourMs - 1, hourMs + minuteMs - 1), false);
    assert.equal(isLate(hourMs - 1, hourMs + minuteMs), true);
    assert.equal(isLate(0, hourMs - 1), false);
  });
});
