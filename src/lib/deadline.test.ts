// Work that does not end is terminated.
import assert from 'node:assert/strict';
import test from 'node:test';
import { DeadlineError, withinMs } from './deadline.ts';

test('work that ends in time returns its value or throws its own error', () => {
  assert.equal(
    withinMs(() => 42, 1000),
    42,
  );
  assert.equal(
    withinMs(() => undefined, 1000),
    undefined,
  );
  assert.throws(
    () =>
      withinMs(() => {
        throw new RangeError('mine');
      }, 1000),
    RangeError,
  );
});

test('work that does not end is terminated, in a loop and inside a regular expression, and the next one runs', () => {
  const forever = (): never => {
    for (;;);
  };
  assert.throws(() => withinMs(forever, 20), DeadlineError);
  assert.throws(() => withinMs(() => /^(a|a)*$/.test(`${'a'.repeat(60)}!`), 20), DeadlineError);
  assert.equal(
    withinMs(() => 'next', 1000),
    'next',
  );
});
