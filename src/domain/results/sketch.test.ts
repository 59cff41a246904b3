// Accuracy of sketch percentiles, and lossless merging.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import {
  addToSketch,
  emptySketch,
  mergeSketch,
  quantileOf,
  relativeError,
  type Sketch,
  sketchBytes,
  sketchOf,
} from './sketch.ts';

const values = fc.array(fc.integer({ min: 1, max: 120_000_000 }), { minLength: 1, maxLength: 200 });

function sketchFrom(of: readonly number[]): Sketch {
  const sketch = emptySketch();
  for (const value of of) addToSketch(sketch, value);
  return sketch;
}

describe('a sketch', () => {
  it('has percentiles within its relative error', () => {
    fc.assert(
      fc.property(values, fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
        const sorted = all.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN;
        const found = quantileOf(sketchFrom(all), share) ?? Number.NaN;
        assert.ok(Math.abs(found - exact) <= exact * relativeError * 1.000001, `${found} for ${exact}`);
      }),
    );
  });

  it('merged from parts equals the sketch of the whole, in any order, and after serialization', () => {
    fc.assert(
      fc.property(values, values, (some, others) => {
        const [ab, ba] = [sketchFrom(some), sketchFrom(others)];
        mergeSketch(ab, sketchFrom(others));
        mergeSketch(ba, sketchFrom(some));
        const whole = sketchFrom([...some, ...others]);
        assert.deepEqual(sketchBytes(ab), sketchBytes(whole));
        assert.deepEqual(sketchBytes(ba), sketchBytes(whole));
        assert.deepEqual(sketchBytes(sketchOf(Uint8Array.from(sketchBytes(whole)))), sketchBytes(whole));
      }),
    );
  });

  it('has no percentile if it is empty, and rejects truncated bytes', () => {
    assert.equal(quantileOf(emptySketch(), 0.5), null);
    const bytes = Uint8Array.from(sketchBytes(sketchFrom([100_000])));
    assert.throws(() => quantileOf(sketchOf(bytes.slice(0, -1)), 0.5), /cut off/);
    assert.throws(() => mergeSketch(emptySketch(), sketchOf(bytes.slice(0, -1))), /cut off/);
  });
});
