// Which definitions a probe thread keeps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ProbeInput, threadInputOf } from '#domain/checks/probe.ts';
import { aCheck } from '../../../tests/support/records.ts';
import { emptyOutbox, forgetTold, handProbe, type Lane, newLane } from './probe-lanes.ts';

const minute = 60_000;
const accountId = '0198a000-0000-7000-8000-000000000001';

/** Checks of a minute, a million characters each. */
function inputsOf(count: number): ProbeInput[] {
  const settings = { body: 'x'.repeat(1_000_000) };
  return Array.from({ length: count }, (_, index) => ({
    check: aCheck(accountId, { id: `check ${index}`, frequency: 1, settings }),
    revision: 1,
    group: null,
    variables: [],
    accountRuntimeId: null,
  }));
}

/** Hands all of them over, and says what the message to the thread held. */
function handAll(lane: Lane, inputs: readonly ProbeInput[], now: number) {
  for (const [index, input] of inputs.entries()) handProbe(lane, index, input, now);
  const { define, forget, checkIds, strangers } = lane.outbox;
  lane.outbox = emptyOutbox();
  return { defined: define.length, forgotten: [...forget], byName: checkIds.length, strangers: strangers.length };
}

test('of more checks than a thread keeps, those that it keeps stay while they are asked for, and the others travel', () => {
  let now = 0;
  const lane = newLane();
  const inputs = inputsOf(125);
  const before = { defined: 119, forgotten: [], byName: 119, strangers: 6 };
  assert.deepEqual(handAll(lane, inputs, now), before);
  now = minute;
  assert.deepEqual(handAll(lane, inputs, now), { ...before, defined: 0 });
  // The first two are gone: they make room once they were not asked for twice as long as they would have been.
  now = 2 * minute;
  assert.deepEqual(handAll(lane, inputs.slice(2), now), { ...before, defined: 0, byName: 117 });
  const forgotten: string[] = [];
  for (let round = 0; round < 10; round++) {
    now += minute;
    forgotten.push(...handAll(lane, inputs.slice(2), now).forgotten);
  }
  assert.deepEqual(forgotten, ['check 0', 'check 1']);
  const changed = inputs.slice(2).map((input) => ({ ...input, revision: 2 }));
  assert.deepEqual(handAll(lane, changed, now), { defined: 119, forgotten: [], byName: 119, strangers: 4 });
});

test('what travels is read as the part of what was handed over that a thread needs', () => {
  const lane = newLane();
  const [input] = inputsOf(1);
  assert.ok(input);
  handProbe(lane, 1, input, 0);
  const read: unknown = JSON.parse(lane.outbox.define[0]?.text ?? '');
  assert.deepEqual(read, threadInputOf(input));
  const { id, checkType, shouldFail, settings } = input.check;
  const check = { id, accountId, checkType, shouldFail, settings };
  assert.deepEqual(read, { check, revision: 1, group: null, variables: [] });
});

test('a definition that has grown beyond what there is room for is forgotten after the probes that go with its message', () => {
  const lane = newLane();
  const inputs = inputsOf(119);
  handAll(lane, inputs, 0);
  const [first] = inputs;
  assert.ok(first);
  handProbe(lane, 1, first, 0);
  const grown = { ...first, revision: 2, check: { ...first.check, settings: { body: 'x'.repeat(3_000_000) } } };
  handProbe(lane, 2, grown, 0);
  handProbe(lane, 3, grown, 0);
  const { numbers, define, forget, strangers } = lane.outbox;
  assert.deepEqual(
    [numbers, define, [...forget], strangers.map(({ number }) => number)],
    [[1], [], ['check 0'], [2, 3]],
  );
  handProbe(lane, 4, first, 0);
  assert.deepEqual([lane.outbox.define.length, lane.outbox.forget.size], [1, 0], 'small again');
});

test('of a thread that is gone the definitions are told anew, but for those that were not sent', () => {
  const lane = newLane();
  const [sent, unsent] = inputsOf(2);
  assert.ok(sent && unsent);
  handProbe(lane, 1, sent, 0);
  lane.outbox = emptyOutbox();
  handProbe(lane, 2, unsent, 0);
  forgetTold(lane);
  handProbe(lane, 3, sent, 0);
  handProbe(lane, 4, unsent, 0);
  const defined = lane.outbox.define.map(({ checkId }) => checkId);
  assert.deepEqual(
    [defined, lane.outbox.numbers],
    [
      ['check 1', 'check 0'],
      [2, 3, 4],
    ],
  );
});

test('the input of one run alone travels with it, and the definition that is kept stays', () => {
  const lane = newLane();
  const [input] = inputsOf(1);
  assert.ok(input);
  const variables = [{ key: 'SHOP', value: 'preview', locked: true, secret: true }];
  const handed = handAll(lane, [input, { ...input, variables, isOneOff: true }, input], 0);
  assert.deepEqual(handed, { defined: 1, forgotten: [], byName: 2, strangers: 1 });
});
