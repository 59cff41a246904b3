// Turns for checking passwords, in order and under a flood.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Refusal } from '../refusal.ts';
import { createHashingTurns } from './hashing-turns.ts';

const { signal } = new AbortController();

/** Applicants wait behind one that holds the only turn; `end` lets them run one after another. */
function line(waitingMax: number, ofOneMax: number) {
  const turns = createHashingTurns({ atOnce: 1, waitingMax, ofOneMax });
  const { promise: held, resolve: end } = Promise.withResolvers<void>();
  const order: string[] = [];
  const all = [turns.run({ name: 'holder', isKnown: false, signal }, () => held)];
  const come = (name: string, { isKnown = false, aborted = signal } = {}): void =>
    void all.push(turns.run({ name, isKnown, signal: aborted }, async () => void order.push(name)));
  return {
    come,
    outcome: async () => {
      end();
      const outcomes = await Promise.allSettled(all);
      return {
        order,
        refused: outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : [])),
      };
    },
  };
}

test('addresses take turns, also if one came first, and known devices come before them', async () => {
  const { come, outcome } = line(10, 10);
  for (const name of ['a', 'a', 'a', 'b', 'c']) come(name);
  for (const name of ['known', 'known', 'other known']) come(name, { isKnown: true });
  const { order, refused } = await outcome();
  assert.deepEqual(order, ['known', 'other known', 'known', 'a', 'b', 'c', 'a', 'a']);
  assert.deepEqual(refused, []);
});

test('an address has a share of the places that wait, and a full line makes room for another address', async () => {
  const { come, outcome } = line(4, 3);
  for (const name of ['a', 'a', 'a', 'a', 'b', 'c', 'd', 'e']) come(name);
  come('known', { isKnown: true });
  const { order, refused } = await outcome();
  assert.deepEqual(order, ['known', 'a', 'b', 'c', 'd']);
  assert.equal(refused.length, 4);
  for (const error of refused) {
    assert.ok(error instanceof Refusal);
    assert.deepEqual([error.code, error.retryAfterSeconds], ['unavailable', 5]);
  }
});

test('a client that disconnected takes no turn, and failed work frees its own', async () => {
  const { come, outcome } = line(10, 10);
  come('gone', { aborted: AbortSignal.abort() });
  come('here');
  const { order } = await outcome();
  assert.deepEqual(order, ['here']);
  const turns = createHashingTurns({ atOnce: 1, waitingMax: 1, ofOneMax: 1 });
  const applicant = { name: 'a', isKnown: false, signal };
  await assert.rejects(
    turns.run(applicant, () => Promise.reject(new Error('failed'))),
    /failed/,
  );
  assert.equal(await turns.run(applicant, async () => 'done'), 'done');
});
