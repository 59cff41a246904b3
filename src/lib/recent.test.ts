// What is remembered stays within its bounds.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createRecent } from './recent.ts';

test('what was not asked for the longest is forgotten first, by number and by size', () => {
  const few = createRecent<string>({ most: 2, mostBytes: 1e6, bytesOf: ({ length }) => length });
  few.set('a', '1');
  few.set('b', '2');
  assert.equal(few.get('a'), '1');
  few.set('c', '3');
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => few.get(key)),
    ['1', undefined, '3'],
  );

  const small = createRecent<string>({ most: 100, mostBytes: 3000, bytesOf: ({ length }) => length });
  for (const key of ['a', 'b', 'c']) small.set(key, 'x'.repeat(1000));
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => small.get(key) !== undefined),
    [false, true, true],
  );
  // What is written anew takes its room once.
  for (let times = 0; times < 10; times++) small.set('c', 'y'.repeat(1000));
  assert.deepEqual([small.get('b')?.length, small.get('c')?.[0]], [1000, 'y']);
  small.set('d', 'x'.repeat(4000));
  assert.deepEqual(
    ['b', 'c', 'd'].map((key) => small.get(key)),
    [undefined, undefined, undefined],
  );
});
