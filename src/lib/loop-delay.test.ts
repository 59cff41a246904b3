// Delays of a thread's event loop, and the observations that they affect.
import assert from 'node:assert/strict';
import { setImmediate as nextTick } from 'node:timers/promises';
import test from 'node:test';
import { createLoopWatch } from './loop-delay.ts';

test('a delay is visible during and after it, and does not count for what began later', async (t) => {
  const loop = createLoopWatch();
  loop.begin();
  t.after(() => loop.end());
  const before = performance.now();
  hold(150);
  assert.equal(loop.longestSince(before) >= 100, true);
  await nextTick();
  await nextTick();
  assert.equal(loop.longestSince(before) >= 100, true);
  // A delay counts only as far as it overlaps the given period.
  const within = loop.longestSince(before + 100);
  assert.equal(within < loop.longestSince(before), true, `${within} ms`);
  assert.equal(loop.longestSince(performance.now()) < 100, true);
});

test('an observation during or just after a delay may be late by that much, and a later one is not', async (t) => {
  const loop = createLoopWatch();
  loop.begin();
  t.after(() => loop.end());
  const before = performance.now();
  hold(150);
  const within = performance.now();
  assert.equal(loop.addedAt(within) >= 100, true);
  await nextTick();
  await nextTick();
  // A busy machine may also delay the loop before.
  assert.equal(loop.addedAt(before) < 50, true);
  assert.equal(loop.addedAt(within - 100) < loop.addedAt(within), true);
  const behind = performance.now();
  assert.equal(behind - within > 10 || loop.addedAt(behind) >= 100, true);
  assert.equal(loop.addedAt(within + 100) < 100, true);
});

test('a delay between two watchers is not measured; what the first one measured is kept, including a delay at its end', () => {
  const loop = createLoopWatch();
  loop.begin();
  loop.begin();
  const before = performance.now();
  loop.end();
  hold(150);
  loop.end();
  const between = performance.now();
  assert.equal(loop.longestSince(before) >= 100, true, 'another watcher was still active');
  hold(2000);
  loop.begin();
  assert.equal(loop.longestSince(between + 200) < 1000, true, 'nobody watched');
  assert.equal(loop.longestSince(before) < 1000, true);
  loop.end();
  assert.equal(loop.longestSince(before) >= 100, true);
});

function hold(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
