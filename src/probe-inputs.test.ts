// Which definitions a probe thread keeps as objects, and that every one is there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputOf, apiCheck } from '../tests/support/api-check.ts';
import { createProbeInputs } from './probe-inputs.ts';

const text = (id: string, name = 'one'): string => JSON.stringify(inputOf(apiCheck({}, {}, { id, name })));

test('a definition is the same object again, of more than a few thousand as long as it is among the first', () => {
  let now = 0;
  const inputs = createProbeInputs(() => now);
  const ids = Array.from({ length: 5001 }, (_, index) => `check ${index}`);
  for (const id of ids) inputs.define(id, text(id));
  const all = ids.map((id) => inputs.of(id));
  assert.deepEqual(
    all.map((input) => input?.check.id),
    ids,
  );
  const isSame = (index: number): boolean => inputs.of(ids[index] ?? '') === all[index];
  assert.deepEqual([isSame(0), isSame(4999), isSame(5000)], [true, true, false]);
  // Of those that nobody asks for any more one makes room.
  now = 21 * 60_000;
  const last = inputs.of('check 5000');
  assert.equal(inputs.of('check 5000'), last);
});

test('a definition is the newest, and gone when it is forgotten', () => {
  const inputs = createProbeInputs(() => 0);
  inputs.define('a', text('a'));
  assert.equal(inputs.of('a')?.check.name, 'one');
  inputs.define('a', text('a', 'two'));
  assert.equal(inputs.of('a')?.check.name, 'two');
  inputs.forget('a');
  assert.deepEqual([inputs.of('a'), inputs.of('b')], [undefined, undefined]);
});
