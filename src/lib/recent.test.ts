// A bounded cache of recent values.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createRecent, type Recent } from './recent.ts';

function known(recent: Recent<string>, ...keys: string[]): (string | undefined)[] {
  return keys.map((key) => recent.get(key));
}

test('evicts the least recently used value first', () => {
  const recent = createRecent<string>({ max: 4, sizeOf: ({ length }) => length });
  recent.set('shop', 'ab');
  recent.set('bank', 'cd');
  assert.equal(recent.get('shop'), 'ab');
  recent.set('club', 'g');
  assert.deepEqual(known(recent, 'shop', 'bank', 'club'), ['ab', undefined, 'g']);
});

test('does not store a value that is too large, and removes the one that it would replace', () => {
  const recent = createRecent<string>({ max: 4, sizeOf: ({ length }) => length });
  recent.set('shop', 'ab');
  recent.set('club', 'g');
  recent.set('club', 'hijkl');
  assert.deepEqual(known(recent, 'shop', 'club'), ['ab', undefined]);
  recent.set('club', 'mn');
  assert.deepEqual(known(recent, 'shop', 'club'), ['ab', 'mn']);
});

test('counts the size of a replaced value once', () => {
  const recent = createRecent<string>({ max: 10, sizeOf: ({ length }) => length });
  recent.set('b', 'bbbbb');
  for (let times = 0; times < 10; times++) recent.set('c', `yyyy${times}`);
  assert.deepEqual(known(recent, 'b', 'c'), ['bbbbb', 'yyyy9']);
  recent.set('long', 'd');
  assert.deepEqual(known(recent, 'b', 'c', 'long'), [undefined, 'yyyy9', 'd']);
});
