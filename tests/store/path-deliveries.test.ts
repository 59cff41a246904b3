// Deliveries that wait: taken, logged, settled, interrupted (spec §6.5, decisions: Webhook delivery).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { it } from '../support/store/each-engine.ts';
import { attemptNote, type Delivery } from '#domain/deliveries/delivery.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { failing, leaseMs, scannedFrom, PathUnderTest } from './path-under-test.ts';

describe('a delivery', () => {
  it('is taken by one owner, and by the next when its lease runs out', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    const [first] = await test.claimDeliveries('one');
    assert.ok(first !== undefined);
    assert.equal(first.number, 1);
    test.temp.clock.advance(leaseMs - 1);
    assert.deepEqual(await test.claimDeliveries('two'), []);
    await test.path.renewDeliveries([first.delivery], { owner: 'one', now: test.now, leaseMs });
    test.temp.clock.advance(leaseMs - 1);
    assert.deepEqual(await test.claimDeliveries('two'), []);
    test.temp.clock.advance(1);
    const [second] = await test.claimDeliveries('two');
    assert.deepEqual([second?.number, second?.delivery.id], [1, first.delivery.id]);
    assert.deepEqual(await test.settle(first, 200, 'one'), [false], 'who lost the lease settles nothing');
    assert.equal(test.one('SELECT status FROM deliveries'), 0);
    assert.deepEqual(test.rows('SELECT number, error_class FROM attempts'), [
      { number: 1, error_class: 'interrupted' },
    ]);
  });

  it('that was interrupted by a crash is logged as that and repeated with the same number and id', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    const [first] = await test.claimDeliveries('one');
    assert.ok(first !== undefined);
    const startedAt = test.now;
    test.temp.clock.advance(3_000);
    await test.path.takeOver(test.now);
    if (test.temp.isShared) {
      assert.equal((await test.claimDeliveries('two')).length, 0, 'it may live');
      test.temp.clock.advance(leaseMs);
    }
    const [second] = await test.claimDeliveries('two');
    assert.ok(second !== undefined);
    assert.deepEqual([second.delivery.id, second.number], [first.delivery.id, 1]);
    assert.deepEqual(second.delivery.request, first.delivery.request);
    assert.deepEqual(await test.settle(second, 200, 'two'), [true]);
    assert.deepEqual(
      test.rows('SELECT position, number, started_at, status, error_class FROM attempts ORDER BY position'),
      [
        { position: 1, number: 1, started_at: startedAt, status: null, error_class: 'interrupted' },
        { position: 2, number: 1, started_at: test.now, status: 200, error_class: null },
      ],
    );
    assert.deepEqual(test.rows('SELECT status, attempts, next_attempt_at FROM deliveries'), [
      { status: 1, attempts: 1, next_attempt_at: null },
    ]);
  });

  it('is tried six times and then exhausted, each attempt on record', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    const numbers: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      const [claimed] = await test.claimDeliveries();
      assert.ok(claimed !== undefined);
      numbers.push(claimed.number);
      assert.deepEqual(await test.settle(claimed, 500), [true]);
      assert.deepEqual(await test.claimDeliveries(), [], 'not before its pause is over');
      test.temp.clock.advance(20_005);
    }
    assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(await test.claimDeliveries(), []);
    assert.deepEqual(test.rows('SELECT status, attempts, error FROM deliveries'), [
      { status: 2, attempts: 6, error: 'answered 500' },
    ]);
    assert.equal(test.one('SELECT count(*) FROM attempts'), 6);
    assert.equal(test.one('SELECT count(*) FROM attempts WHERE next_attempt_at IS NULL'), 1);
  });

  it('that is made due by hand just when it is due is tried once for it', async (newStore) => {
    const { test } = await failing(newStore, 30);
    await using _ = test;
    const { deliveries } = test.temp.store;
    const all = await test.claimDeliveries('one', () => 100);
    for (const one of all) assert.deepEqual(await test.settle(one, 500), [true]);
    test.temp.clock.advance(20_005);
    // Concurrently, in any order: an attempt in progress is not claimed again.
    const racing = [
      ...all.map(({ delivery }) => deliveries.retry(test.accountId, delivery.id)),
      ...['one', 'two', 'one', 'two'].map((owner) => test.claimDeliveries(owner, () => 8)),
      ...all.map(({ delivery }) => deliveries.retry(test.accountId, delivery.id)),
    ];
    const taken = (await Promise.all(racing)).flatMap((found) => (typeof found === 'string' ? [] : found));
    taken.push(...(await test.claimDeliveries('one', () => 100)));
    assert.deepEqual(await test.claimDeliveries('two', () => 100), []);
    const ids = taken.map(({ delivery }) => delivery.id).sort();
    assert.deepEqual(ids, all.map(({ delivery }) => delivery.id).sort());
    assert.ok(taken.every(({ number }) => number === 2));
    assert.equal(test.one(`SELECT count(*) FROM attempts WHERE error_class = 'interrupted'`), 0);
  });

  it('that is cancelled after a crash has the attempt on record that was cut off', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    const [first] = await test.claimDeliveries('one');
    assert.ok(first !== undefined);
    const startedAt = test.now;
    test.temp.clock.advance(leaseMs);
    assert.equal(await test.temp.store.deliveries.cancel(test.accountId, first.delivery.id), 'done');
    assert.deepEqual(test.rows('SELECT number, started_at, error_class, next_attempt_at FROM attempts'), [
      { number: 1, started_at: startedAt, error_class: 'interrupted', next_attempt_at: null },
    ]);
    assert.deepEqual(test.rows('SELECT status, attempt_started_at, leased_by FROM deliveries'), [
      { status: 5, attempt_started_at: null, leased_by: null },
    ]);
    assert.match(String(test.one('SELECT error_message FROM attempts')), /the delivery has ended/);
  });

  it('whose channel is gone after a crash has the attempt on record that was cut off', async (newStore) => {
    const { test, channel } = await failing(newStore, 1);
    await using _ = test;
    await test.claimDeliveries('one');
    await test.temp.store.alertChannels.remove(test.accountId, channel);
    test.temp.clock.advance(leaseMs);
    assert.deepEqual(await test.claimDeliveries('two'), []);
    assert.deepEqual(test.rows('SELECT number, error_class, next_attempt_at FROM attempts'), [
      { number: 1, error_class: 'interrupted', next_attempt_at: null },
    ]);
    assert.equal(test.one('SELECT status FROM deliveries'), 5);
  });

  for (const [how, change] of [
    ['deleted', (test: PathUnderTest, id: string) => test.remove(id)],
    ['muted', (test: PathUnderTest, id: string) => test.edit(id, { muted: true })],
    ['deactivated', (test: PathUnderTest, id: string) => test.edit(id, { activated: false })],
    [
      'unsubscribed',
      ({ temp, accountId }: PathUnderTest) =>
        temp.store.alertChannels.change(accountId, 1, ({ channel }) => ({ channel, subscriptions: [] })),
    ],
  ] as const) {
    it(`whose check is ${how} meanwhile is retried all the same`, async (newStore) => {
      const { test } = await failing(newStore, 1);
      await using _ = test;
      const [first] = await test.claimDeliveries();
      assert.ok(first !== undefined);
      await test.settle(first, 500);
      await change(test, first.delivery.checkId ?? '');
      test.temp.clock.advance(20_005);
      const sent: unknown[] = [];
      // The end of a check that is deleted is a delivery of its own.
      for (let tick = 0; tick < 2; tick++) {
        for (const claimed of await test.claimDeliveries('two', () => 1)) {
          await test.settle(claimed, 200, 'two');
          sent.push([claimed.delivery.alertType, claimed.number]);
        }
      }
      assert.deepEqual(sent.at(-1), ['ALERT_FAILURE', 2]);
    });
  }

  it('whose request went out a second time over a fresh connection has that on record', async (newStore) => {
    const { test } = await failing(newStore, 2);
    await using _ = test;
    const [first, second] = await test.claimDeliveries();
    assert.ok(first !== undefined && second !== undefined);
    await test.settle(first, 200, 'one', { isSentTwice: true });
    await test.settle(second, 200);
    const notified = await Promise.all(
      [first, second].map(async ({ delivery: { id } }) => {
        const found = await test.temp.store.deliveries.find(test.accountId, id);
        return found?.log.map((attempt) => attemptNote(attempt));
      }),
    );
    assert.match(String(notified[0]), /sent again over a new one\. The receiver may have received it twice\.$/);
    assert.deepEqual(notified[1], [null]);
  });

  it('that no alert caused is kept as it is given, and sent once it is due', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    const delivery: Delivery = {
      accountId: test.accountId,
      id: newId(),
      alertChannelId: await test.channel(checkId),
      alertId: null,
      checkId,
      checkResultId: newId(),
      alertType: 'ALERT_DEGRADED',
      status: 'pending',
      request: { method: 'PUT', url: 'http://127.0.0.1:9/ö', headers: [['x-a', 'b']], body: '{"a":"✓"}' },
      attempts: 0,
      createdAt: test.now - 5,
      nextAttemptAt: test.now + 1000,
      replayOf: newId(),
      isTest: true,
      error: null,
    };
    const broken: Delivery = {
      ...delivery,
      id: newId(),
      status: 'failed',
      request: null,
      nextAttemptAt: null,
      replayOf: null,
      isTest: false,
      error: 'no URL',
    };
    for (const each of [delivery, broken]) {
      await test.path.addDelivery(each);
      assert.deepEqual((await test.temp.store.deliveries.find(test.accountId, each.id))?.delivery, each);
      assert.equal(await test.temp.store.deliveries.find(newId(), each.id), null);
    }
    // Over PostgreSQL it would be tried again for seconds, as what has lost a race.
    if (!test.temp.isShared)
      await assert.rejects(test.path.addDelivery({ ...delivery, isTest: false }), 'its id is taken');
    assert.deepEqual(test.rows('SELECT count(*) AS n FROM delivery_requests'), [{ n: 1 }]);

    assert.deepEqual(await test.claimDeliveries(), []);
    test.temp.clock.advance(1000);
    const [claimed, ...more] = await test.claimDeliveries();
    assert.ok(claimed !== undefined && more.length === 0);
    const { request, isTest, replayOf, createdAt } = claimed.delivery;
    assert.deepEqual([claimed.delivery.id, claimed.number, request], [delivery.id, 1, delivery.request]);
    assert.deepEqual([isTest, replayOf, createdAt], [true, delivery.replayOf, delivery.createdAt]);
    assert.deepEqual(await test.settle(claimed, 204), [true]);
    const { rows } = await test.temp.store.deliveries.list(test.accountId, {}, { limit: 10, offset: 0 });
    assert.deepEqual(rows.map(({ delivery: { status } }) => status).sort(), ['delivered', 'failed']);
  });

  it('is settled once', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    const [claimed] = await test.claimDeliveries();
    assert.ok(claimed !== undefined);
    assert.deepEqual(await test.settle(claimed, 200), [true]);
    assert.deepEqual(await test.settle(claimed, 200), [false]);
    assert.equal(test.one('SELECT count(*) FROM attempts'), 1);
  });
});

describe('a channel', () => {
  it('gets no more at a time than it has room for, the oldest first', async (newStore) => {
    const { test, channel } = await failing(newStore, 6);
    await using _ = test;
    test.temp.clock.advance(10_000);
    await test.runAll('passed');
    const other = await test.channel(await test.check());
    test.temp.clock.advance(10_000);
    await test.runAll('failed');
    const first = await test.claimDeliveries('one', (id) => (id === channel ? 4 : 1));
    const lanes = (claimed: typeof first): number[] => claimed.map(({ delivery }) => delivery.alertChannelId);
    assert.deepEqual(lanes(first), [channel, channel, channel, channel, other]);
    const order = first.filter(({ delivery }) => delivery.alertChannelId === channel);
    let inProgress = [...order];
    while (order.length < 18) {
      // One of each check at a time: what waits behind it comes when it has ended.
      const next = await test.claimDeliveries('one', (id) => (id === channel ? 100 : 0), false, inProgress);
      order.push(...next);
      inProgress.push(...next);
      assert.equal(new Set(inProgress.map(({ delivery }) => delivery.checkId)).size, inProgress.length);
      for (const one of inProgress) assert.deepEqual(await test.settle(one, 200), [true]);
      inProgress = [];
    }
    const keys = order.map(({ delivery }) => `${delivery.createdAt} ${delivery.id}`);
    assert.deepEqual(keys, [...keys].sort());
  });

  it('is walked past while it has no room, and does not say when it is due', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    const shared = { busy: () => [], scannedFrom, isShared: false };
    const claim = { owner: 'one', now: test.now, leaseMs, max: 10, ...shared };
    assert.deepEqual(await test.path.claimDeliveries({ ...claim, room: () => 0 }), {
      claimed: [],
      nextDueAt: null,
      scanned: [],
    });
    const early = await test.path.claimDeliveries({ ...claim, now: test.now - 5, room: () => 4 });
    assert.deepEqual(early, { claimed: [], nextDueAt: test.now, scanned: [] });
  });

  it('that is gone ends what waits for it', async (newStore) => {
    const { test } = await failing(newStore, 1);
    await using _ = test;
    test.temp.raw.exec('DELETE FROM alert_channels');
    assert.deepEqual(await test.claimDeliveries(), []);
    assert.deepEqual(test.rows('SELECT status, error, next_attempt_at FROM deliveries'), [
      { status: 5, error: 'the alert channel was deleted', next_attempt_at: null },
    ]);
  });

  it('is failing after one exhausted delivery, and well again with the first that is received', async (newStore) => {
    const { test, channel } = await failing(newStore, 4);
    await using _ = test;
    test.temp.raw.exec('UPDATE deliveries SET attempts = 5');
    const [first, second, third, last] = await test.claimDeliveries('one', () => 100);
    assert.ok(first !== undefined && second !== undefined && third !== undefined && last !== undefined);
    const state =
      'SELECT exhausted_in_a_row AS many, failing_since AS since, failing_reason AS reason FROM alert_channels';
    const since = test.now;
    await test.settle(first, 503);
    assert.deepEqual(test.rows(state), [{ many: 1, since, reason: 'answered 503' }]);
    await test.report();
    test.temp.clock.advance(1_000);
    await test.settle(second, 410);
    assert.deepEqual(test.rows(state), [{ many: 2, since, reason: 'answered 410' }]);
    const response = { status: 301, headers: { location: 'https://u:p@new.example/in?token=x' }, body: '' };
    await test.settle(third, 301, 'one', { response });
    const reason = 'the receiver redirected to https://new.example/in (301); redirects are not followed';
    assert.deepEqual(test.rows(state), [{ many: 3, since, reason }]);
    await test.settle(last, 204);
    assert.deepEqual(test.rows(state), [{ many: 0, since: null, reason: null }]);
    await test.report();
    const reported = { kind: 'failing', alertChannelId: channel, reason: 'answered 503', notified: 0 };
    assert.deepEqual(test.reports, [reported], 'it is reported once, and no notified channel remains for its recovery');
  });

  it('is failing after the second redirect in a row, each of which is final', async (newStore) => {
    const { test } = await failing(newStore, 3);
    await using _ = test;
    const [first, second] = await test.claimDeliveries('one', () => 100);
    assert.ok(first !== undefined && second !== undefined);
    const state = 'SELECT exhausted_in_a_row AS many, failing_since AS since FROM alert_channels';
    await test.settle(first, 302);
    assert.deepEqual(test.rows(state), [{ many: 1, since: null }]);
    await test.settle(second, 302);
    assert.deepEqual(test.rows(state), [{ many: 2, since: test.now }]);
    assert.equal(test.one('SELECT count(*) FROM deliveries WHERE status = 1'), 2);
  });

  it('is walked in turn: what the first channels have waiting does not keep the last ones waiting', async (newStore) => {
    const test = await PathUnderTest.open(newStore);
    await using _ = test;
    const checkId = await test.check();
    const ids: number[] = [];
    for (let count = 0; count < 6; count++) ids.push(await test.channel(checkId));
    await test.runAll('failed');
    const claim = async (max: number): Promise<number[]> => {
      const shared = { busy: () => [], scannedFrom, isShared: false };
      const rules = { owner: 'one', now: test.now, leaseMs, max, room: () => 4, ...shared };
      const { claimed } = await test.path.claimDeliveries(rules);
      // Due again at once, as if more had come for the same channels.
      for (const { delivery } of claimed) {
        test.temp.raw.prepare('UPDATE deliveries SET next_attempt_at = 0 WHERE id = ?').run(idBytes(delivery.id));
      }
      return claimed.map(({ delivery }) => delivery.alertChannelId);
    };
    assert.deepEqual([await claim(2), await claim(2), await claim(2)].flat(), ids);
  });
});
