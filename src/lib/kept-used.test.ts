// What is kept of values that are more than can be kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createKeptUsed } from './kept-used.ts';

function kept(most: number) {
  const state = { now: 0, dropped: [] as string[] };
  const values = createKeptUsed<string>(most, (key) => state.dropped.push(key));
  const keep = (key: string, expectedTo: number, size = 1): boolean =>
    values.keep(key, { value: `value of ${key}`, size, expectedTo }, state.now);
  return { state, values, keep };
}

test('what is used stays, and a newcomer takes the place of one that is not used any more', () => {
  const { state, values, keep } = kept(2);
  assert.deepEqual([keep('a', 10), keep('b', 10), keep('c', 10)], [true, true, false]);
  state.now = 10;
  assert.equal(values.use('a', 20), 'value of a');
  assert.equal(keep('c', 20), true);
  assert.deepEqual([state.dropped, values.use('b', 20), [...values.keys()]], [['b'], undefined, ['a', 'c']]);
});

test('sizes count together, also of one that is kept anew or forgotten', () => {
  const { state, values, keep } = kept(10);
  assert.deepEqual([keep('a', 5, 11), keep('a', 5, 4), keep('b', 5, 6), keep('c', 5, 1)], [false, true, true, false]);
  assert.equal(keep('a', 5, 3), true, 'the same one, smaller');
  assert.equal(keep('c', 5, 1), true);
  values.forget('b');
  values.forget('unknown');
  assert.deepEqual([keep('d', 5, 7), keep('d', 5, 6)], [false, true]);
  assert.deepEqual(state.dropped, []);
});

test('one that is not used is found among many, a few looks at a time', () => {
  const { state, values, keep } = kept(100);
  for (let index = 0; index < 100; index++) keep(`${index}`, index === 57 ? 1 : 1000);
  state.now = 1;
  const tries = Array.from({ length: 30 }, () => keep('new', 1000)).indexOf(true);
  assert.ok(tries > 0 && tries < 26, `${tries} tries`);
  assert.deepEqual([state.dropped, values.use('0', 1000)], [['57'], 'value of 0']);
});

test('one that grows beyond what there is room for is gone, and what takes its place may be larger', () => {
  const { state, values, keep } = kept(10);
  assert.deepEqual([keep('a', 5, 4), keep('b', 5, 6)], [true, true]);
  assert.equal(keep('a', 5, 5), false);
  assert.deepEqual([state.dropped, values.use('a'), values.use('b')], [['a'], undefined, 'value of b']);
  state.now = 5;
  assert.equal(keep('c', 9, 10), true);
  assert.deepEqual([state.dropped, [...values.keys()]], [['a', 'b'], ['c']]);
});

test('nothing holds what was forgotten or replaced', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const values = createKeptUsed<object>(100);
  const refs: WeakRef<object>[] = [];
  for (let round = 0; round < 50; round++) {
    for (let key = 0; key < 100; key++) {
      const value = { round };
      refs.push(new WeakRef(value));
      values.forget(`${key}`);
      assert.equal(values.keep(`${key}`, { value, size: 1, expectedTo: 1 }, 0), true);
    }
  }
  // What a WeakRef was made of lives to the end of the turn.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  const alive = refs.filter((ref) => ref.deref() !== undefined).length;
  assert.ok(alive <= 101, `${alive} of ${refs.length} are held`);
});
