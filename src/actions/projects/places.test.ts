// Places: few for one account, a limit for all, and each given back once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPlaces } from './places.ts';

const refused = (code: string) => (error: unknown) => (error as { readonly code: string }).code === code;

test('an account takes few places, all accounts together have a limit, and a place is given back once', () => {
  const places = createPlaces('deployments', 2, 3);
  const first = places.take('one');
  const second = places.take('one');
  assert.throws(() => places.take('one'), refused('too-many'));
  const other = places.take('two');
  assert.throws(() => places.take('two'), refused('unavailable'));
  first();
  first();
  const again = places.take('one');
  assert.throws(() => places.take('two'), refused('unavailable'));
  for (const leave of [second, other, again]) leave();
  assert.deepEqual([places.take('one'), places.take('one'), places.take('two')].length, 3);
});
