// Stages of a runtime, and the selection for a check.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  mayFollow,
  type Runtime,
  runtimeChoice,
  runtimeStages,
  runtimeWarnings,
  stageAt,
  type WantedRuntime,
} from './runtime.ts';

const base = { multiStepSupport: true, nodeJsVersion: 'v24.21.0', dependencies: {}, description: null };
const runtime = (name: string, stage: Runtime['stage'], runtimeEndOfLife: string | null = null): Runtime => {
  return { ...base, name, stage, runtimeEndOfLife };
};
const installed = [
  runtime('2026.10', 'CURRENT'),
  runtime('2026.04', 'STABLE'),
  runtime('2025.10', 'DEPRECATED'),
  runtime('2025.04', 'STABLE', '11/21/2026'),
];
const day = Date.UTC(2026, 10, 21);
const nothing: WantedRuntime = { check: null, group: null, account: null, runtimeFallback: false };
const choose = (wanted: Partial<WantedRuntime>, now = day, from: readonly Runtime[] = installed): string => {
  const choice = runtimeChoice({ ...nothing, ...wanted }, from, now);
  if (choice.runtime === null) return choice.message;
  return `${choice.runtime.name}${choice.deprecated ? ' deprecated' : ''}${choice.fellBack ? ' fell back' : ''}`;
};

describe('a runtime', () => {
  it('counts as REMOVED from the UTC day of its end of life', () => {
    const old = runtime('2025.04', 'STABLE', '11/21/2026');
    assert.equal(stageAt(old, day - 1), 'STABLE');
    assert.equal(stageAt(old, day), 'REMOVED');
  });

  it('moves through its stages in one direction and may skip some', () => {
    for (const [from, last] of runtimeStages.entries()) {
      for (const [to, next] of runtimeStages.entries())
        assert.equal(mayFollow(last, next), to >= from, `${last} → ${next}`);
    }
  });
});

describe('the runtime of a check', () => {
  it('is its own, otherwise that of its group, otherwise that of its account, otherwise the CURRENT one', () => {
    assert.equal(choose({ check: '2026.04', group: '2025.10', account: '2026.10' }), '2026.04');
    assert.equal(choose({ group: '2026.04', account: '2026.10' }), '2026.04');
    assert.equal(choose({ account: '2026.04' }), '2026.04');
    assert.equal(choose({}), '2026.10');
  });

  it('may be DEPRECATED, with a warning', () => assert.equal(choose({ check: '2025.10' }), '2025.10 deprecated'));

  it('is none, with a reason, once it is removed', () => {
    assert.equal(choose({ check: '2025.04' }, day - 1), '2025.04');
    assert.match(choose({ check: '2025.04' }), /^runtime 2025\.04 is not available/);
    assert.match(choose({ check: '1999.01' }), /^runtime 1999\.01 is not available/);
    assert.match(choose({}, day, []), /no runtime of this server is CURRENT/);
  });

  it("is the account's default instead of a removed one if the check allows that", () => {
    assert.equal(choose({ check: '2025.04', account: '2026.04', runtimeFallback: true }), '2026.04 fell back');
    assert.equal(choose({ group: '2025.04', runtimeFallback: true }), '2026.10 fell back');
    assert.equal(choose({ check: '2025.04', account: '1999.01', runtimeFallback: true }), '2026.10 fell back');
    assert.match(choose({ check: '2025.04', runtimeFallback: true }, day, []), /not available/);
  });
});

describe('the warnings about the runtime of a check', () => {
  const said = (wanted: Partial<WantedRuntime>, now = day): readonly string[] => {
    const all = { ...nothing, ...wanted };
    const choice = runtimeChoice(all, installed, now);
    return choice.runtime === null ? ['none'] : runtimeWarnings(all, choice, now);
  };

  it('are none for a supported one', () => assert.deepEqual(said({ check: '2026.04' }), []));

  it('include deprecation and replacement by another runtime', () => {
    assert.match(said({ check: '2025.10' }).join(), /^runtime 2025\.10 is deprecated/);
    assert.match(
      said({ check: '2025.04', account: '2026.04', runtimeFallback: true }).join(),
      /^runtime 2025\.04 is not available; 2026\.04 is used instead$/,
    );
  });

  it('include its end of life from thirty days before', () => {
    const reported = day - 30 * 86_400_000;
    assert.deepEqual(said({ check: '2025.04' }, reported - 1), []);
    assert.match(
      said({ check: '2025.04' }, reported).join(),
      /^runtime 2025\.04 reaches its end of life on 11\/21\/2026/,
    );
    assert.deepEqual(said({ check: '2025.04' }, day), ['none']);
  });
});
