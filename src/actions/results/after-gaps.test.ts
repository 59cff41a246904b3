// Waiting for the record of the time before a start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGapWait, historyAfterGaps, maxGapWaitMs } from './after-gaps.ts';

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
  let answer: Error | boolean = new Error('away');
  const gaps = { isSettled: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)) };
  const wait = createGapWait({ gaps, startedAt: 7, pause: async (ms) => void (waitedMs += ms) });
  await assert.rejects(wait(), /away/);
  answer = false;
  assert.deepEqual([await wait(), await wait()], [false, false]);
  assert.equal(waitedMs, maxGapWaitMs, 'once');
  answer = true;
  assert.equal(await wait(), true);
});

test('figures of a period that contains time without a record are refused, those of an earlier one are not', async () => {
  const gaps = { isSettled: async (before: number) => before <= 5 };
  const wait = createGapWait({ gaps, startedAt: 7, pause: async () => {} });
  const none = { checksAtOnce: 1, read: async () => ({ pieces: [], stretches: [] }), sums: async () => new Map() };
  const history = historyAfterGaps(none, wait, gaps);
  await assert.rejects(history.sums('a', [], { from: 1, to: 6 }), { code: 'unavailable', retryAfterSeconds: 5 });
  await assert.rejects(history.read('a', [], { from: 1, to: 6, pieceMs: 1 }), { code: 'unavailable' });
  assert.equal((await history.sums('a', [], { from: 1, to: 5 })).size, 0);
});
