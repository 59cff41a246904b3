// Which definitions a probe thread keeps as objects, and that every one is there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { urlOf } from '../parts/http/settings.ts';
import type { ThreadInput } from '#domain/checks/probe.ts';
import { apiCheck, inputOf } from '../../../tests/support/api-check.ts';
import { createProbeInputs, type ProbeInputs } from './probe-inputs.ts';

const textOf = (id: string, url = 'one'): string => JSON.stringify(inputOf(apiCheck({ url }, {}, { id })));
const urlIn = (input: ThreadInput | undefined): string => urlOf(input?.check.settings ?? {});

function read(inputs: ProbeInputs, id: string) {
  const text = inputs.textOf(id);
  return text === undefined ? undefined : inputs.read(id, text);
}

test('a definition is the same object again, of more than a few thousand as long as it is among the first', () => {
  let now = 0;
  const inputs = createProbeInputs(() => now);
  const ids = Array.from({ length: 5001 }, (_, index) => `check ${index}`);
  for (const id of ids) inputs.define(id, textOf(id));
  const all = ids.map((id) => read(inputs, id));
  assert.deepEqual(
    all.map((input) => input?.check.id),
    ids,
  );
  const isSame = (index: number): boolean => read(inputs, ids[index] ?? '') === all[index];
  assert.deepEqual([isSame(0), isSame(4999), isSame(5000)], [true, true, false]);
  // Of those that nobody asks for any more one makes room.
  now = 21 * 60_000;
  const last = read(inputs, 'check 5000');
  assert.equal(read(inputs, 'check 5000'), last);
});

test('a definition is the newest, and gone when it is forgotten', () => {
  const inputs = createProbeInputs(() => 0);
  inputs.define('a', textOf('a'));
  assert.equal(urlIn(read(inputs, 'a')), 'one');
  inputs.define('a', textOf('a', 'two'));
  assert.equal(urlIn(read(inputs, 'a')), 'two');
  inputs.forget('a');
  assert.deepEqual([read(inputs, 'a'), read(inputs, 'b')], [undefined, undefined]);
});

test('a probe that waited is made by the definition with which it came, whatever became of that', () => {
  const inputs = createProbeInputs(() => 0);
  const waited = textOf('a');
  inputs.define('a', waited);
  inputs.define('a', textOf('a', 'two'));
  const newest = read(inputs, 'a');
  assert.deepEqual([urlIn(inputs.read('a', waited)), read(inputs, 'a') === newest], ['one', true]);
  inputs.forget('a');
  assert.equal(urlIn(inputs.read('a', waited)), 'one');
});
