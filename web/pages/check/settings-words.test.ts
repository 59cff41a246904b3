// Settings of checks read as sentences.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertionText, retryText, targetOf } from './settings-words.ts';

test('assertions, targets and retries read as sentences', () => {
  const source = 'JSON_BODY';
  assert.equal(
    assertionText({ source, comparison: 'GREATER_THAN', property: '$.total', target: '3' }),
    'JSON body $.total is greater than 3',
  );
  assert.equal(assertionText({ source, comparison: 'IS_NULL', property: '$.a', target: '' }), 'JSON body $.a is null');
  assert.equal(assertionText({ source: 'STATUS_CODE', comparison: 'EQUALS', target: '' }), 'Status code equals ""');
  assert.equal(targetOf({ method: 'GET', url: 'https://shop.example/' }), 'GET https://shop.example/');
  const url = '{{GROUP_BASE_URL}}/ok';
  assert.equal(targetOf({ method: 'GET', url }, 'https://$&.example'), 'GET https://$&.example/ok');
  assert.equal(targetOf({ hostname: '::1', port: 5432 }), '[::1]:5432');
  assert.equal(targetOf({ query: 'shop.example', recordType: 'MX', nameServer: null, port: 53 }), 'shop.example MX');
  const strategy = { baseBackoffSeconds: 10, maxRetries: 5, maxDurationSeconds: 600, sameRegion: true };
  assert.equal(retryText({ ...strategy, type: 'LINEAR' }), 'Up to 5, after 10 s, 20 s, 30 s …');
  assert.equal(
    retryText({ ...strategy, type: 'SINGLE_RETRY', sameRegion: false }),
    'One, after 10 s, from another location',
  );
  assert.equal(retryText(null), 'None');
});
