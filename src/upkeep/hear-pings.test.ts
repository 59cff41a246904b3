// Signs of who receives pings: what a process says of the time in which it could write none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHearPings } from './hear-pings.ts';

/** Turns of one process, whose store can be taken away. */
function hearing() {
  const failures = { count: 0 };
  const told: (number | null)[] = [];
  const state = { at: 0, isAway: false };
  const turn = createHearPings({
    store: {
      hear(_isReturn, { deafMs } = {}) {
        if (state.isAway) return Promise.reject(new Error('the database is away'));
        told.push(deafMs?.() ?? null);
        return Promise.resolve({ heardAt: state.at, deaf: [] });
      },
    },
    ownProcess: { id: 'a', known: () => [] },
    failures,
    clock: { now: () => state.at },
    steadyNow: () => state.at,
  });
  return { failures, told, state, turn };
}

test('a sign each second says of no gap', async () => {
  const { told, state, turn } = hearing();
  for (; state.at < 5000; state.at += 1000) assert.equal(await turn(), 1000);
  assert.deepEqual(told, [null, null, null, null, null]);
});

test('a ping that could not be written is told with the next sign, since the last that was well, and once', async () => {
  const { failures, told, state, turn } = hearing();
  await turn();
  state.at = 1000;
  await turn();
  failures.count++;
  state.at = 2000;
  await turn();
  state.at = 3000;
  await turn();
  assert.deepEqual(told, [null, null, 1000, null]);
});

test('a process whose signs failed for seconds says so as soon as it can', async () => {
  const { told, state, turn } = hearing();
  await turn();
  state.isAway = true;
  for (state.at = 1000; state.at < 7000; state.at += 1000) await assert.rejects(turn());
  state.isAway = false;
  await turn();
  assert.deepEqual(told, [null, 7000]);
});
