// Hold-ups of a thread's loop are seen by what they touched, and by nothing else.
import assert from 'node:assert/strict';
import { setImmediate as nextTick } from 'node:timers/promises';
import test from 'node:test';
import { createLoopWatch } from './loop-delay.ts';

test('a hold-up of the loop is seen while it lasts and after it, and is not counted for what began later', async (t) => {
  const loop = createLoopWatch();
  loop.begin();
  t.after(() => loop.end());
  const before = performance.now();
  hold(150);
  assert.equal(loop.longestSince(before) >= 100, true);
  await nextTick();
  await nextTick();
  assert.equal(loop.longestSince(before) >= 100, true);
  // A hold-up counts only as far as it lies in the time that is asked about.
  const within = loop.longestSince(before + 100);
  assert.equal(within < loop.longestSince(before), true, `${within} ms`);
  assert.equal(loop.longestSince(performance.now()) < 100, true);
});

test('what was noted in a hold-up or right behind it may be late by as much, and what was noted later is not', async (t) => {
  const loop = createLoopWatch();
  loop.begin();
  t.after(() => loop.end());
  const before = performance.now();
  hold(150);
  const within = performance.now();
  assert.equal(loop.addedAt(within) >= 100, true);
  await nextTick();
  await nextTick();
  // A busy machine may hold the loop up before it, too.
  assert.equal(loop.addedAt(before) < 50, true);
  assert.equal(loop.addedAt(within - 100) < loop.addedAt(within), true);
  const behind = performance.now();
  assert.equal(behind - within > 10 || loop.addedAt(behind) >= 100, true);
  assert.equal(loop.addedAt(within + 100) < 100, true);
});

test('what is between two watches is not seen; what the first one saw stays, also what was under way at its end', () => {
  const loop = createLoopWatch();
  loop.begin();
  loop.begin();
  const before = performance.now();
  loop.end();
  hold(150);
  loop.end();
  const between = performance.now();
  assert.equal(loop.longestSince(before) >= 100, true, 'one of the two still watched');
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
