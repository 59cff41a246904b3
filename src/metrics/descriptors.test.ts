// Maximum number of connections, from the limit on open files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionsFor } from './descriptors.ts';

test("reserves half of the descriptors for Tocsin's own use", () => {
  assert.deepEqual([1_048_576, 20_000, 4096, 1024, 100].map(connectionsFor), [10_000, 10_000, 2048, 512, 64]);
  assert.equal(connectionsFor(null), 10_000);
});
