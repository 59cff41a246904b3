// How often a ping address may be called, on a clock of the test's own.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { settleMs } from '#domain/checks/heartbeat.ts';
import { createPingAllowance, type PingSort, pingSort } from './ping-allowance.ts';

const token = '0199f0c4-0000-7000-8000-000000000001';

/** An allowance whose clock stands still until it is turned, and the same random numbers each time. */
function allowanceUnderTest(limit: number) {
  let now = 5000;
  let dice = 1;
  return {
    ...createPingAllowance(limit, () => now),
    advance: (ms: number) => (now += ms),
    /** From 0 up to `below`. */
    random: (below: number) => ((dice = (dice * 48_271) % 2_147_483_647) / 2_147_483_647) * below,
  };
}

test('a whole minute of calls may come at once, and then one after the other', () => {
  const { take, advance } = allowanceUnderTest(60);
  const many = (calls: number) => Array.from({ length: calls }, () => take(token, 'well')).filter((wait) => wait === 0);
  assert.equal(many(100).length, 60);
  assert.equal(take(token, 'well'), 1, 'whole seconds to wait');
  advance(999);
  assert.equal(take(token, 'well'), 1);
  advance(1);
  assert.deepEqual([take(token, 'well'), take(token, 'well')], [0, 1]);
  advance(10_000);
  assert.equal(many(100).length, 10);
  advance(59_999);
  assert.equal(many(100).length, 59);
  advance(3_600_000);
  assert.equal(many(100).length, 60, 'never more than a minute of them');
});

test('what is well uses up nothing of what failed, of starts and of logs, and no token that of another', () => {
  const { take } = allowanceUnderTest(60);
  for (let call = 0; call < 61; call++) take(token, 'well');
  const sorts: readonly PingSort[] = ['well', 'failed', 'start', 'log'];
  assert.deepEqual(
    sorts.map((sort) => take(token, sort)),
    [1, 0, 0, 0],
  );
  assert.equal(take(token.replace(/1$/, '2'), 'well'), 0);
  assert.deepEqual(
    (['ping', 'start', 'fail', 'log'] as const).map((signal) => pingSort(signal, null)),
    ['well', 'start', 'failed', 'log'],
  );
  assert.deepEqual([pingSort('exit', 0), pingSort('exit', 1)], ['well', 'failed']);
});

for (const limit of [60, 61, 1000]) {
  test(`of ${limit} a minute, a call is refused only where one of its sort was taken within the time that a deadline is left to settle`, () => {
    const { take, advance, random } = allowanceUnderTest(limit);
    let [sinceMs, refused] = [Number.POSITIVE_INFINITY, 0];
    for (let call = 0; call < 100_000; call++) {
      // Now and then a pause, so that the burst comes back.
      const pauseMs = random(1) < 0.0002 ? random(90_000) : random((1.5 * 60_000) / limit);
      advance(pauseMs);
      sinceMs += pauseMs;
      if (take(token, 'well') === 0) sinceMs = 0;
      else {
        refused++;
        assert.ok(sinceMs < settleMs, `the last one was taken ${sinceMs} ms before`);
      }
    }
    assert.ok(refused > 1000, `${refused} were refused`);
  });
}

test('a call whose ping could not be kept is given back', () => {
  const { take, giveBack } = allowanceUnderTest(60);
  for (let call = 0; call < 60; call++) take(token, 'well');
  giveBack(token, 'well');
  assert.deepEqual([take(token, 'well'), take(token, 'well')], [0, 1]);
});

test('a flood of other tokens refuses nobody who was not refused before', () => {
  const { take, advance } = allowanceUnderTest(60);
  for (let call = 0; call < 60; call++) take(token, 'well');
  for (let other = 0; other < 50_000; other++) assert.equal(take(randomUUID(), 'well'), 0);
  assert.equal(take(token, 'well'), 1, 'nor forgets this one as long as there is room');
  for (let other = 0; other < 200_000; other++) take(randomUUID(), 'well');
  assert.equal(take(token, 'well'), 0, 'what is forgotten has its allowance again');
  advance(120_000);
  assert.equal(take(token, 'failed'), 0);
});

test('0 switches it off', () => {
  const { take, giveBack } = createPingAllowance(0);
  giveBack(token, 'well');
  assert.ok(Array.from({ length: 10_000 }, () => take(token, 'well')).every((wait) => wait === 0));
});
