// Hold-ups of a thread's loop are seen by what they touched, and by nothing else.
import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'node:test';
import { createLoopWatch } from './loop-delay.ts';

test('a hold-up of the loop is seen while it lasts and after it, and is not counted for what began later', async (t) => {
  const loop = createLoopWatch();
  loop.begin();
  t.after(() => loop.end());
  const before = performance.now();
  hold(150);
  assert.equal(loop.heldUpSince(before).longestMs >= 100, true);
  await nextTurn();
  await nextTurn();
  assert.equal(loop.heldUpSince(before).longestMs >= 100, true);
  // A hold-up counts only as far as it lies in the time that is asked about.
  const within = loop.heldUpSince(before + 100).longestMs;
  assert.equal(within < loop.heldUpSince(before).longestMs, true, `${within} ms`);
  assert.equal(loop.heldUpSince(performance.now()).longestMs < 100, true);
});

test('short hold-ups add up', async (t) => {
  const loop = createLoopWatch();
  loop.begin();
  t.after(() => loop.end());
  const before = performance.now();
  for (let count = 0; count < 5; count++) {
    hold(40);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const { longestMs, totalMs } = loop.heldUpSince(before);
  assert.equal(totalMs >= 100 && longestMs < totalMs, true, `${longestMs} of ${totalMs} ms`);
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
  assert.equal(loop.heldUpSince(before).longestMs >= 100, true, 'one of the two still watched');
  hold(2000);
  loop.begin();
  assert.equal(loop.heldUpSince(between + 200).longestMs < 1000, true, 'nobody watched');
  assert.equal(loop.heldUpSince(before).longestMs < 1000, true);
  loop.end();
  assert.equal(loop.heldUpSince(before).longestMs >= 100, true);
});

function hold(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
