// Recorded reception of pings: gaps in which a process could not write.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRecordReception } from './record-reception.ts';

/** Turns of one process whose store can become unavailable. */
function hearing() {
  const failures = { count: 0 };
  const reported: (number | null)[] = [];
  const state = { at: 0, isAway: false };
  const tick = createRecordReception({
    store: {
      note(_isReturn, { gapMs } = {}) {
        if (state.isAway) return Promise.reject(new Error('the database is away'));
        reported.push(gapMs?.() ?? null);
        return Promise.resolve({ receivingAt: state.at, gaps: [] });
      },
    },
    ownProcess: { id: 'a', known: () => [] },
    failures,
    clock: { now: () => state.at },
    steadyNow: () => state.at,
  });
  return { failures, reported, state, tick };
}

test('a record each second reports no gap', async () => {
  const { reported, state, tick } = hearing();
  for (; state.at < 5000; state.at += 1000) assert.equal(await tick(), 1000);
  assert.deepEqual(reported, [null, null, null, null, null]);
});

test('a ping that could not be written is reported once with the next record, as a gap since the last success', async () => {
  const { failures, reported, state, tick } = hearing();
  await tick();
  state.at = 1000;
  await tick();
  failures.count++;
  state.at = 2000;
  await tick();
  state.at = 3000;
  await tick();
  assert.deepEqual(reported, [null, null, 1000, null]);
});

test('a process that could not write for seconds reports that as soon as it can', async () => {
  const { reported, state, tick } = hearing();
  await tick();
  state.isAway = true;
  for (state.at = 1000; state.at < 7000; state.at += 1000) await assert.rejects(tick());
  state.isAway = false;
  await tick();
  assert.deepEqual(reported, [null, 7000]);
});
