// Encoding of roll-ups by status code.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { wholeOf } from '#domain/results/detailed-roll-up.ts';
import { addResult, type CountedResult, emptyRollUp, type RollUp } from '#domain/results/roll-up.ts';
import type { Outcome } from '#domain/results/result.ts';
import { sketchBytes } from '#domain/results/sketch.ts';
import { byStatusBytes, byStatusOf } from './status-bytes.ts';

interface Result extends Pick<CountedResult, 'isFinal' | 'outcome' | 'responseUs'> {
  readonly status: number;
}

const result: fc.Arbitrary<Result> = fc.record({
  status: fc.constantFrom(0, 200, 301, 404, 503),
  isFinal: fc.boolean(),
  outcome: fc.constantFrom<Outcome>('passed', 'degraded', 'failed', 'unknown', 'missed'),
  responseUs: fc.option(fc.integer({ min: 0, max: 30_000_000 })),
});

function partsOf(results: readonly Result[]): Map<number, RollUp> {
  const parts = new Map<number, RollUp>();
  for (const { status, ...each } of results) {
    const part = parts.get(status) ?? emptyRollUp();
    addResult(part, { ...each, slots: 1, intervalMs: 60_000 });
    parts.set(status, part);
  }
  return parts;
}

/** In the order of the codes, with sketches as bytes. */
const shown = (parts: ReadonlyMap<number, RollUp> | null) =>
  [...(parts ?? [])]
    .sort(([a], [b]) => a - b)
    .map(([status, { responses, failedResponses, ...counts }]) => [
      status,
      counts,
      [responses, failedResponses].map(({ sketch, ...times }) => [times, sketchBytes(sketch)]),
    ]);

describe('the parts of a roll-up by status code', () => {
  it('decode unchanged', () => {
    fc.assert(
      fc.property(fc.array(result, { minLength: 1, maxLength: 60 }), (results) => {
        const parts = partsOf(results);
        const whole = wholeOf(parts, new Map(), 0);
        const { byStatus: _, phases: __, finalResults: ___, ...rest } = whole;
        assert.deepEqual(shown(byStatusOf(byStatusBytes(whole), rest)), shown(parts));
      }),
    );
  });

  const many = (status: number, count: number, outcome: Outcome) =>
    Array.from({ length: count }, (_, index) => ({
      status,
      outcome,
      isFinal: true,
      responseUs: status === 0 ? null : 100_000 + index * 1000,
    }));

  it('take a few bytes for one code, and a few dozen for each of several', () => {
    assert.equal(byStatusBytes({ byStatus: null }), null);
    assert.equal(byStatusOf(null, emptyRollUp()), null);
    assert.ok((byStatusBytes(wholeOf(partsOf(many(200, 60, 'passed')), new Map(), 0))?.length ?? 0) < 12);
    const failing = [...many(200, 40, 'passed'), ...many(503, 10, 'failed'), ...many(0, 10, 'failed')];
    assert.ok((byStatusBytes(wholeOf(partsOf(failing), new Map(), 0))?.length ?? 0) < 250);
  });
});
