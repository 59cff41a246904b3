// Times of phases come back from their bytes, and take few of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { addPhase, coarseError, coarseQuantileOf, phaseNames, type Phases } from '#domain/results/phases.ts';
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

const shown = ({ count, sum, least, most, sketch }: Responses) => [count, sum, least, most, sketchBytes(sketch)];

describe('times of phases', () => {
  it('come back from their bytes, how they deviate within a millionth', () => {
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
          const off = Math.abs(back.responses.sumOfSquares - responses.sumOfSquares);
          assert.ok(off <= 1e-6 * responses.sumOfSquares);
        }
      }),
    );
  });

  it('have percentiles that are off by no more than they may be', () => {
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

  it('take a byte where there are none, and a few for each that is always the same', () => {
    assert.equal(phaseBytes(new Map())?.length, 1);
    assert.equal(phaseBytes(null), null);
    const one = phasesFrom(phaseNames.map((phase) => ({ phase, us: 120_000, isFailed: true })));
    assert.equal(phaseBytes(one)?.length, 1 + 5 * 6);
    const same = phasesFrom(Array.from({ length: 60 }, () => ({ phase: 'dns' as const, us: 500, isFailed: false })));
    assert.equal(phaseBytes(same)?.length, 1 + 5);
  });

  it('are refused in a form, and of a phase, that is not known', () => {
    assert.throws(() => phasesOf(Uint8Array.of(9)), /form 9/);
    assert.throws(() => phasesOf(Uint8Array.of(1, 10, 1, 1, 0)), /phase 5/);
  });
});
