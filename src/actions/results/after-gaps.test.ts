// Waiting for the record of the time before a start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGapWait, maxGapWaitMs } from './after-gaps.ts';

test('figures wait until the time before the start is recorded, once', async () => {
  let asked = 0;
  const gaps = { isSettled: (before: number) => Promise.resolve(before === 7 && ++asked === 3) };
  const paused: number[] = [];
  const wait = createGapWait({ gaps, startedAt: 7, pause: async (ms) => paused.push(ms) });
  await Promise.all([wait(), wait()]);
  await wait();
  assert.deepEqual([asked, paused.length], [3, 2]);
});

test('figures wait for a limited time if nothing schedules, and again after an error', async () => {
  let waitedMs = 0;
  let isBroken = true;
  const gaps = { isSettled: () => (isBroken ? Promise.reject(new Error('away')) : Promise.resolve(false)) };
  const wait = createGapWait({ gaps, startedAt: 7, pause: async (ms) => void (waitedMs += ms) });
  await assert.rejects(wait(), /away/);
  isBroken = false;
  await wait();
  assert.equal(waitedMs, maxGapWaitMs);
});
