// Which definitions a probe thread keeps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProbeInput } from '#domain/probe.ts';
import { aCheck } from '../tests/support/records.ts';
import { emptyOutbox, handProbe, type Lane, newLane } from './probe-lanes.ts';

const minute = 60_000;
const accountId = '0198a000-0000-7000-8000-000000000001';

/** Checks of a minute, but for the first one, which nobody asks for any more once it was looked at. */
function inputsOf(count: number): ProbeInput[] {
  return Array.from({ length: count }, (_, index) => ({
    check: aCheck(accountId, { id: `check ${index}`, frequency: 1 }),
    revision: 1,
    group: null,
    variables: [],
    accountRuntimeId: null,
  }));
}

/** Hands all of them over, and says what the message to the thread held. */
function handAll(lane: Lane, inputs: readonly ProbeInput[], now: number) {
  for (const [index, input] of inputs.entries()) handProbe(lane, index, input, now + index);
  const { define, forget, checkIds, strangers } = lane.outbox;
  lane.outbox = emptyOutbox();
  return { defined: define.length, forgotten: forget, byName: checkIds.length, strangers: strangers.length };
}

test('of more checks than a thread keeps, those that it keeps stay while they are asked for, and the others travel', () => {
  const lane = newLane();
  const inputs = inputsOf(30_100);
  const before = { defined: 30_000, forgotten: [], byName: 30_000, strangers: 100 };
  assert.deepEqual(handAll(lane, inputs, 0), before);
  assert.deepEqual(handAll(lane, inputs, minute), { ...before, defined: 0 });
  // The first two are gone: they make room once they were not asked for twice as long as they would have been.
  assert.deepEqual(handAll(lane, inputs.slice(2), 2 * minute), { ...before, defined: 0, byName: 29_998 });
  const after = { defined: 2, forgotten: ['check 0', 'check 1'], byName: 30_000, strangers: 98 };
  assert.deepEqual(handAll(lane, inputs.slice(2), 3 * minute), after);
  const changed = inputs.slice(2).map((input) => ({ ...input, revision: 2 }));
  assert.deepEqual(handAll(lane, changed, 4 * minute), { ...after, defined: 30_000, forgotten: [] });
});
