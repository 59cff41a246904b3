// The start rate of a probe thread.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from './probe-pace.ts';

test('probes wait after a burst until one ends', () => {
  const pace = createPace(() => 0, 2, 1000);
  pace.begin(1);
  assert.equal(pace.isFull, false);
  pace.begin(2);
  assert.equal(pace.isFull, true);
  pace.end(1);
  assert.equal(pace.isFull, false);
});

test('probes that wait for a slow target free their slot after a second', () => {
  let now = 0;
  const pace = createPace(() => now, 2, 1000);
  pace.begin(1);
  now = 400;
  pace.begin(2);
  now = 999;
  assert.equal(pace.isFull, true);
  now = 1000;
  assert.equal(pace.isFull, false);
  pace.begin(3);
  assert.equal(pace.isFull, true);
});
