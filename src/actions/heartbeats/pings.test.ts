// Rate limits of ping URLs, with a controlled clock.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { settleMs } from '#domain/checks/heartbeat.ts';
import { createPingAllowance, type PingSort, pingSort } from './pings.ts';

const token = '0199f0c4-0000-7000-8000-000000000001';

/** An allowance with a clock that advances only on demand, and fixed random numbers. */
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

test("allows one minute's pings in a burst, then one at a time", () => {
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
  assert.equal(many(100).length, 60, 'at most one minute of pings');
});

test('successes, failures, starts and logs have separate limits, as does each token', () => {
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
  test(`with ${limit} pings per minute, rejects a ping only if one of its kind was accepted within the settling time of a deadline`, () => {
    const { take, advance, random } = allowanceUnderTest(limit);
    let [sinceMs, refused] = [Number.POSITIVE_INFINITY, 0];
    for (let call = 0; call < 100_000; call++) {
      // Occasional pauses refill the allowance.
      const pauseMs = random(1) < 0.0002 ? random(90_000) : random((1.5 * 60_000) / limit);
      advance(pauseMs);
      sinceMs += pauseMs;
      if (take(token, 'well') === 0) sinceMs = 0;
      else {
        refused++;
        assert.ok(sinceMs < settleMs, `the previous ping was accepted ${sinceMs} ms before`);
      }
    }
    assert.ok(refused > 1000, `${refused} were refused`);
  });
}

test('a ping that could not be stored does not count towards the limit', () => {
  const { take, giveBack } = allowanceUnderTest(60);
  for (let call = 0; call < 60; call++) take(token, 'well');
  giveBack(token, 'well');
  assert.deepEqual([take(token, 'well'), take(token, 'well')], [0, 1]);
});

test('a flood of other tokens does not cause further rejections', () => {
  const { take, advance } = allowanceUnderTest(60);
  for (let call = 0; call < 60; call++) take(token, 'well');
  for (let other = 0; other < 50_000; other++) assert.equal(take(randomUUID(), 'well'), 0);
  assert.equal(take(token, 'well'), 1, 'remembered while there is room');
  for (let other = 0; other < 200_000; other++) take(randomUUID(), 'well');
  assert.equal(take(token, 'well'), 0, 'a forgotten token has its full allowance again');
  advance(120_000);
  assert.equal(take(token, 'failed'), 0);
});

test('0 disables the limit', () => {
  const { take, giveBack } = createPingAllowance(0);
  giveBack(token, 'well');
  assert.ok(Array.from({ length: 10_000 }, () => take(token, 'well')).every((wait) => wait === 0));
});
