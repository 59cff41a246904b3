// The pace of a probe thread: bursts are bounded, slow targets hold nobody up.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPace } from './probe-pace.ts';

test('probes wait while too many were begun just now, and go on when one ends', () => {
  const pace = createPace(() => 0, 2, 1000);
  pace.begin(1);
  assert.equal(pace.isFull, false);
  pace.begin(2);
  assert.equal(pace.isFull, true);
  pace.end(1);
  assert.equal(pace.isFull, false);
});

test('probes that wait for a slow target make room after a second', () => {
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
