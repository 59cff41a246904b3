// What is remembered of accounts is bounded.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRemembered } from './remembered.ts';

test('the account that was not asked for the longest time is forgotten first, a value that is too large at once', () => {
  const remembered = createRemembered<string>((text) => text.length, 4);
  remembered.set('shop', 'ab');
  remembered.set('bank', 'cd');
  remembered.set('shop', 'ef');
  remembered.set('club', 'g');
  assert.deepEqual([remembered.get('shop'), remembered.get('bank'), remembered.get('club')], ['ef', undefined, 'g']);
  remembered.set('club', 'hijkl');
  assert.deepEqual([remembered.get('shop'), remembered.get('club')], ['ef', undefined]);
  remembered.set('club', 'mn');
  assert.deepEqual([remembered.get('shop'), remembered.get('club')], ['ef', 'mn']);
});
