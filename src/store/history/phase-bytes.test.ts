// Encoding of phase times.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { addPhase, coarseError, coarseQuantileOf, phaseNames, type Phases } from '#domain/results/detailed-roll-up.ts';
import type { Responses } from '#domain/results/roll-up.ts';
import { sketchBytes } from '#domain/results/sketch.ts';
import { phaseBytes, phasesOf } from './phase-bytes.ts';

const timed = fc.record({
  phase: fc.constantFrom(...phaseNames),
  us: fc.oneof(fc.nat({ max: 3000 }), fc.nat({ max: 120_000_000 })),
  isFailed: fc.boolean(),
});

function phasesFrom(all: readonly { phase: (typeof phaseNames)[number]; us: number; isFailed: boolean }[]): Phases {
  const phases: Phases = new Map();
  for (const { phase, us, isFailed } of all) addPhase(phases, phase, us, isFailed);
  return phases;
}

const shown = ({ count, sum, sumOfSquares, least, max, sketch }: Responses) => [
  count,
  sum,
  sumOfSquares,
  least,
  max,
  sketchBytes(sketch),
];

describe('times of phases', () => {
  it('decode unchanged', () => {
    fc.assert(
      fc.property(fc.array(timed, { maxLength: 200 }), (all) => {
        const phases = phasesFrom(all);
        const found = phasesOf(phaseBytes(phases)) ?? new Map();
        assert.deepEqual(new Set(found.keys()), new Set(phases.keys()));
        for (const [phase, { responses, failedResponses }] of phases) {
          const back = found.get(phase);
          assert.ok(back !== undefined);
          assert.deepEqual(shown(back.responses), shown(responses));
          assert.deepEqual(shown(back.failedResponses), shown(failedResponses));
        }
      }),
    );
  });

  it('have percentiles within the allowed error', () => {
    fc.assert(
      fc.property(fc.array(timed, { minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (all, share) => {
        const phases = phasesFrom(all.map((each) => ({ ...each, phase: 'tcp', isFailed: false })));
        const sorted = all.map(({ us }) => us).sort((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN;
        const sketch = phases.get('tcp')?.responses.sketch;
        const found = sketch === undefined ? null : coarseQuantileOf(sketch, share);
        assert.ok(Math.abs((found ?? Number.NaN) - exact) <= coarseError * (exact + 1000), `${found} for ${exact}`);
      }),
    );
  });

  it('take a few bytes if there are none, and up to two hundred for an hour of different ones', () => {
    assert.equal(phaseBytes(null), null);
    assert.ok((phaseBytes(new Map())?.length ?? 0) < 8);
    const hour = phaseNames.flatMap((phase) =>
      Array.from({ length: 60 }, (_, index) => ({ phase, us: 20_000 + index * 700, isFailed: false })),
    );
    assert.ok((phaseBytes(phasesFrom(hour))?.length ?? 0) < 200);
  });

  it('are rejected if truncated', () => {
    const bytes = phaseBytes(phasesFrom([{ phase: 'dns', us: 500, isFailed: false }])) ?? new Uint8Array();
    assert.throws(() => phasesOf(bytes.subarray(0, -3)));
  });
});
