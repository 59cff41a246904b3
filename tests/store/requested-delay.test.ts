// Receivers that ask to wait with Retry-After: the channel's other deliveries wait too, and one more attempt follows the last.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import { newId } from '#lib/id.ts';
import { createSendDeliveries } from '#pipeline/send-deliveries.ts';
import type { ClaimedDelivery } from '#store/channels/delivery-rows.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { failing, leaseMs, scannedFrom, type PathUnderTest } from './path-under-test.ts';

/** Ends an attempt with a 429 that asks to wait so many seconds. */
function ask(test: PathUnderTest, claimed: ClaimedDelivery | undefined, seconds: number, owner = 'one') {
  assert.ok(claimed !== undefined);
  const response: SendOutcome['response'] = { status: 429, headers: { 'retry-after': String(seconds) }, body: '' };
  return test.settle(claimed, 429, owner, { response });
}

const numbersOf = (claimed: readonly ClaimedDelivery[]): number[] => claimed.map(({ number }) => number);
const first = 'attempts = 0 AND status = 0';

describe('a receiver that asks to wait', () => {
  it('gets no first attempt of another delivery before that time, and retries at their own', async (newStore) => {
    const { test } = await failing(newStore, 4);
    await using _ = test;
    const [one] = await test.claimDeliveries('one', () => 1);
    await ask(test, one, 45);
    const until = test.now + 5 + 45_000;
    assert.deepEqual(await test.claimDeliveries('one', () => 2), []);
    const error = `the receiver asked for no request before ${new Date(until).toISOString()}`;
    const waiting = test.rows(`SELECT next_attempt_at AS at, error FROM deliveries WHERE ${first}`);
    assert.deepEqual(
      waiting,
      [1, 2, 3].map(() => ({ at: until, error })),
    );
    test.temp.clock.advance(20_005);
    const [retry, ...others] = await test.claimDeliveries('two', () => 4);
    assert.deepEqual([retry?.number, others], [2, []]);
    await test.settle(retry ?? assert.fail(), 200, 'two');
    test.temp.clock.advance(24_999);
    assert.deepEqual(await test.claimDeliveries('two', () => 3), []);
    test.temp.clock.advance(1);
    assert.deepEqual(numbersOf(await test.claimDeliveries('two', () => 100)), [1, 1, 1]);
  });

  onSqlite(
    'is waited for by alerts that come later, for as long as it asks anew, also after a restart',
    async (newStore) => {
      const { test } = await failing(newStore, 1);
      await using _ = test;
      const [one] = await test.claimDeliveries('one', () => 1);
      await ask(test, one, 3600);
      const checkId = await test.check();
      const { accountId, now } = test;
      const subscription = { checkId, groupId: null, activated: true };
      await test.temp.store.alertChannels.subscribe(accountId, one?.delivery.alertChannelId ?? 0, subscription);
      await test.runAll('failed');
      assert.deepEqual(await test.claimDeliveries(), []);
      await test.path.takeOver(now + 60_000);
      test.temp.clock.advance(200_000);
      const [retry] = await test.claimDeliveries('two');
      assert.equal(retry?.number, 2);
      await ask(test, retry, 4000, 'two');
      assert.deepEqual(await test.claimDeliveries('three'), []);
      test.temp.clock.advance(3_600_000);
      assert.deepEqual(numbersOf(await test.claimDeliveries('three')), [3], 'asked for more meanwhile');
      test.temp.clock.advance(400_005);
      assert.ok(numbersOf(await test.claimDeliveries('four')).includes(1));
    },
  );

  it('does not delay test messages', async (newStore) => {
    const { test, channel } = await failing(newStore, 1);
    await using _ = test;
    const [one] = await test.claimDeliveries();
    await ask(test, one, 45);
    await test.path.addDelivery({
      accountId: test.accountId,
      id: newId(),
      alertChannelId: channel,
      alertId: null,
      checkId: null,
      checkResultId: null,
      alertType: 'ALERT_FAILURE',
      status: 'pending',
      request: { method: 'POST', url: 'http://127.0.0.1:9/', headers: [], body: '' },
      attempts: 0,
      createdAt: test.now,
      nextAttemptAt: test.now,
      replayOf: null,
      isTest: true,
      error: null,
    });
    const claimed = await test.claimDeliveries();
    assert.deepEqual(
      claimed.map(({ delivery }) => delivery.isTest),
      [true],
    );
  });

  for (const how of ['another URL', 'a retry by hand'] as const) {
    it(`is asked again at once after ${how}, in the order of the deliveries`, async (newStore) => {
      const { test, channel } = await failing(newStore, 3);
      await using _ = test;
      const [one] = await test.claimDeliveries('one', () => 1);
      await ask(test, one, 45);
      assert.deepEqual(await test.claimDeliveries(), []);
      const [waiting] = (await test.temp.store.deliveries.list(test.accountId, {}, { limit: 1, offset: 0 })).rows;
      if (how === 'another URL') {
        await test.temp.store.alertChannels.change(test.accountId, channel, ({ channel: present }) => ({
          channel: { ...present, config: { ...present.config, url: 'http://127.0.0.1:10/' } },
          subscriptions: null,
        }));
      } else await test.temp.store.deliveries.retry(test.accountId, waiting?.delivery.id ?? '');
      assert.equal(test.one(`SELECT count(*) FROM deliveries WHERE ${first} AND error IS NULL`), 2);
      const ids = (await test.claimDeliveries()).map(({ delivery }) => delivery.id);
      assert.equal(ids.length, 2);
      assert.deepEqual(ids, [...ids].sort());
    });
  }

  onSqlite('keeps waiting after an edit that leaves its URL', async (newStore) => {
    const { test, channel } = await failing(newStore, 2);
    await using _ = test;
    const [one] = await test.claimDeliveries('one', () => 1);
    await ask(test, one, 45);
    await test.temp.store.alertChannels.change(test.accountId, channel, ({ channel: present }) => ({
      channel: { ...present, sendDegraded: true },
      subscriptions: null,
    }));
    assert.deepEqual(await test.claimDeliveries(), []);
  });

  it('is waited for the same time when the clock is set, and not for what it cannot have asked for', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    const [one] = await test.claimDeliveries();
    await ask(test, one, 45);
    const until = 'SELECT requested_until FROM alert_channels';
    const before = Number(test.one(until));
    await test.path.moveWithClock(-1_800_000, test.now - 1_800_000);
    assert.equal(test.one(until), before - 1_800_000);
    await test.path.takeOver(before - 30_000_000);
    assert.equal(test.one(until), null);
  });

  it('gets a seventh attempt then, if an earlier answer of the six asked for it', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    let until = 0;
    for (let number = 1; number <= 6; number++) {
      const [claimed] = await test.claimDeliveries();
      assert.equal(claimed?.number, number);
      if (number === 5) until = test.now + 5 + 300_000;
      if (number === 5) await ask(test, claimed, 300);
      else await test.settle(claimed, 500);
      if (number < 6) test.temp.clock.advance(20_005);
    }
    assert.deepEqual(test.rows('SELECT status, attempts, next_attempt_at AS at FROM deliveries'), [
      { status: 0, attempts: 6, at: until },
    ]);
    test.temp.clock.advance(until - test.now);
    const [last] = await test.claimDeliveries();
    assert.equal(last?.number, 7);
    await test.settle(last, 500);
    assert.equal(test.one('SELECT status FROM deliveries'), 2);
  });

  onSqlite(
    'is sent the last attempt again at the time that another delivery was asked to wait until',
    async (newStore) => {
      const { test } = await failing(newStore, 1);
      await using _ = test;
      const until = test.now + 600_000;
      test.temp.raw.exec(`UPDATE deliveries SET attempts = 5; UPDATE alert_channels SET requested_until = ${until}`);
      const step = createSendDeliveries({
        store: test.path,
        clock: test.temp.clock,
        owner: 'one',
        isShared: () => false,
        render: () => assert.fail('it is rendered'),
        send: () => Promise.resolve(test.outcome(500)),
        wake: () => {},
        onError: (error) => assert.fail(String(error)),
      });
      await step.tick();
      await step.stop(5000);
      const rows = test.rows('SELECT attempts, status, next_attempt_at AS at FROM deliveries');
      assert.deepEqual(rows, [{ attempts: 6, status: 0, at: until }]);
    },
  );

  it('holds back a long queue in a few claims', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    const [one] = await test.claimDeliveries();
    await ask(test, one, 45);
    const columns = 'account_id, alert_channel_id, alert_type, status, created_at, next_attempt_at, attempts, is_test';
    const insert = test.temp.raw.prepare(
      `INSERT INTO deliveries (id, ${columns}) SELECT ?, account_id, alert_channel_id, alert_type, 0, created_at, created_at, 0, 0
       FROM deliveries LIMIT 1`,
    );
    for (let more = 0; more < 700; more++) insert.run(Buffer.from(newId().replaceAll('-', ''), 'hex'));
    const claim = () =>
      test.path.claimDeliveries({
        owner: 'one',
        now: test.now,
        leaseMs,
        max: 100,
        scannedFrom,
        isShared: false,
        busy: () => [],
        room: () => 4,
      });
    const found = [await claim(), await claim(), await claim()];
    assert.deepEqual(
      found.map(({ claimed, nextDueAt }) => [claimed.length, nextDueAt]),
      [
        [0, test.now],
        [0, test.now],
        [0, test.now + 20_005],
      ],
    );
  });
});
