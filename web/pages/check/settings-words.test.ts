// Settings of checks read as sentences.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { retryText } from '../../ui/checks/retry-words.ts';
import { assertionText, filledTarget } from './settings-words.ts';

test('assertions, targets and retries read as sentences', () => {
  const source = 'JSON_BODY';
  assert.equal(
    assertionText({ source, comparison: 'GREATER_THAN', property: '$.total', target: '3' }),
    'JSON body $.total is greater than 3',
  );
  assert.equal(assertionText({ source, comparison: 'IS_NULL', property: '$.a', target: '' }), 'JSON body $.a is null');
  assert.equal(assertionText({ source: 'STATUS_CODE', comparison: 'EQUALS', target: '' }), 'Status code equals ""');
  assert.equal(filledTarget('GET {{GROUP_BASE_URL}}/ok', 'https://$&.example'), 'GET https://$&.example/ok');
  const strategy = { baseBackoffSeconds: 10, maxRetries: 5, maxDurationSeconds: 600, sameRegion: true };
  assert.equal(retryText({ ...strategy, type: 'LINEAR' }), 'Up to 5, after 10 s, 20 s, 30 s …');
  assert.equal(
    retryText({ ...strategy, type: 'SINGLE_RETRY', sameRegion: false }),
    'One, after 10 s, from another location',
  );
  assert.equal(retryText(null), 'None');
});
