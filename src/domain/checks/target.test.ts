// Detects when a check gets another target.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../json.ts';
import { hasOtherTarget } from './target.ts';

const before: JsonObject = {
  request: { url: 'https://shop.example', method: 'GET', assertions: [] },
  maxResponseTime: 20_000,
};
const isOther = (settings: JsonObject): boolean => hasOtherTarget({ settings: before }, { settings });

test('another request is another target; other assertions and limits are not', () => {
  assert.equal(
    isOther({ ...before, request: { url: 'https://shop.example/cart', method: 'GET', assertions: [] } }),
    true,
  );
  assert.equal(isOther({ ...before, sslCheckDomain: 'shop.example' }), true);
  assert.equal(isOther({ ...before, maxResponseTime: 5000 }), false);
  const assertions = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }];
  assert.equal(isOther({ ...before, request: { url: 'https://shop.example', method: 'GET', assertions } }), false);
});
