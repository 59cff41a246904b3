// What is made of an object once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeOnce } from './made-once.ts';

test('something is made of an object once, of each object and by each maker, and shows nowhere', () => {
  let made = 0;
  const number = madeOnce<{ readonly name: string }, number>(() => ++made);
  const nothing = madeOnce<object, void>(() => {
    made++;
  });
  const [one, other] = [{ name: 'one' }, { name: 'other' }];
  assert.deepEqual([number(one), number(other), number(one), made], [1, 2, 1, 2]);
  assert.deepEqual([nothing(one), nothing(one), made], [undefined, undefined, 3]);
  assert.equal(number({ ...one }), 4, 'a copy is another object');
  assert.equal(JSON.stringify(one), '{"name":"one"}');
});
