// Number of findings that can wait for the store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maxWaiting } from './record-results.ts';
import { maxInProgress } from './run-checks.ts';

test('as many findings can wait for the store as runs can be in progress, so none is dropped while it is unavailable', () => {
  assert.equal(maxWaiting, maxInProgress);
});
