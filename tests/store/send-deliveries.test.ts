// The step that sends deliveries, over the store: how many at once, in which order, and what becomes of their attempts.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createSendDeliveries, type SendDeliveriesOptions } from '#pipeline/send-deliveries.ts';
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import { StoreUnavailableError } from '#store/base/unavailable.ts';
import { it } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';
import { PathUnderTest } from './path-under-test.ts';

/** No channel fails long enough here to be reported. */
const unnotified = {
  isShared: () => false,
  render: () => assert.fail('every delivery is rendered when it is recorded'),
};

describe('sending deliveries', () => {
  it('sends at most four deliveries to a hanging channel, without delaying other channels', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const first = await test.check();
    const hanging = await test.channel(first);
    const quick = await test.channel(first);
    for (let more = 0; more < 8; more++) {
      const checkId = await test.check();
      for (const id of [hanging, quick]) {
        await test.temp.store.alertChannels.subscribe(test.accountId, id, { checkId, groupId: null, activated: true });
      }
    }
    await test.runAll('failed');
    const held: ((outcome: SendOutcome) => void)[] = [];
    let isWoken = true;
    const send: SendDeliveriesOptions['send'] = (_, channel) =>
      channel.id === quick
        ? Promise.resolve(test.outcome(200))
        : new Promise((resolve) => {
            held.push(resolve);
          });
    const step = createSendDeliveries({
      store: test.path,
      clock: test.temp.clock,
      owner: 'one',
      send,
      wake: () => {
        isWoken = true;
      },
      ...unnotified,
      onError: (error) => assert.fail(String(error)),
    });
    const delivered = (id: number): unknown =>
      test.one(`SELECT count(*) FROM deliveries WHERE status = 1 AND alert_channel_id = ${id}`);
    /** Turns whenever the step was woken. */
    const ticking = async (done: () => boolean): Promise<boolean> => {
      if (isWoken) {
        isWoken = false;
        await step.tick();
      }
      return done();
    };
    await until('the quick channel', () => ticking(() => delivered(quick) === 9));
    assert.equal(held.length, 4);
    const { alertChannels } = test.temp.store;
    const health = async (id: number) => (await alertChannels.find(test.accountId, id))?.health;
    assert.deepEqual(await health(hanging), { waitingDeliveries: 9, lastDeliveredAt: null });
    const { rows } = await alertChannels.list(test.accountId, { limit: 10, offset: 0 });
    const ofQuick = rows.find(({ channel }) => channel.id === quick)?.health;
    assert.deepEqual(ofQuick, {
      waitingDeliveries: 0,
      lastDeliveredAt: test.one('SELECT max(started_at) FROM attempts'),
    });
    for (let count = 1; count <= 9; count++) {
      await until('the next', () => ticking(() => held.length >= count));
      assert.ok(held.length < count + 4, 'four at a time');
      held[count - 1]?.(test.outcome(204));
      await until('its end', () => ticking(() => delivered(hanging) === count));
    }
    await step.stop(1_000);
    assert.equal((await health(hanging))?.waitingDeliveries, 0);
    assert.ok((await health(hanging))?.lastDeliveredAt);
    assert.equal(test.one('SELECT count(*) FROM attempts'), 18);
  });

  it('begins attempts of one channel and check one after the other, and holds up no other check', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const [flapping, other] = [await test.check(), await test.check()];
    const channel = await test.channel(flapping, { sendDegraded: true });
    await test.temp.store.alertChannels.subscribe(test.accountId, channel, {
      checkId: other,
      groupId: null,
      activated: true,
    });
    await test.runAll('failed');
    test.temp.clock.advance(10_000);
    await test.runAll('passed');
    const held: { type: string; checkId: string | null; end: (outcome: SendOutcome) => void }[] = [];
    const step = createSendDeliveries({
      store: test.path,
      clock: test.temp.clock,
      owner: 'one',
      send: ({ alertType, checkId }) =>
        new Promise((resolve) => {
          held.push({ type: String(alertType), checkId, end: resolve });
        }),
      wake: () => {},
      ...unnotified,
      onError: (error) => assert.fail(String(error)),
    });
    /** Turns until so many attempts have begun, and once more. */
    const begun = async (count: number): Promise<void> => {
      await until(`${count} attempts`, async () => {
        await step.tick();
        return held.length >= count;
      });
      await step.tick();
      assert.equal(held.length, count);
    };
    await begun(2);
    assert.deepEqual(
      held.map(({ type }) => type),
      ['ALERT_FAILURE', 'ALERT_FAILURE'],
    );
    assert.deepEqual(new Set(held.map(({ checkId }) => checkId)), new Set([flapping, other]));
    const begunRows = 'SELECT count(*) FROM deliveries WHERE attempt_started_at IS NOT NULL';
    assert.equal(test.one(begunRows), 2, 'what waits for them is not begun');
    held.find(({ checkId }) => checkId === flapping)?.end(test.outcome(500));
    await begun(3);
    assert.deepEqual([held[2]?.type, held[2]?.checkId], ['ALERT_RECOVERY', flapping]);
    held.find(({ checkId }) => checkId === other)?.end(test.outcome(200));
    await begun(4);
    for (const { end } of held) end(test.outcome(200));
    await step.stop(5_000);
    assert.equal(test.one('SELECT count(*) FROM attempts'), 4);
  });

  it('does not walk again past what waits for an attempt that hangs, until it ends or a renewal is due', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const channel = await test.channel(await test.check());
    await test.runAll('failed');
    const polls: boolean[] = [];
    const held: ((outcome: SendOutcome) => void)[] = [];
    const step = createSendDeliveries({
      store: {
        ...test.path,
        claimDeliveries: (claim) => {
          polls.push(claim.scannedFrom(test.accountId, channel) === 0);
          return test.path.claimDeliveries(claim);
        },
      },
      clock: test.temp.clock,
      owner: 'one',
      send: () =>
        new Promise((resolve) => {
          held.push(resolve);
        }),
      wake: () => {},
      ...unnotified,
      onError: (error) => assert.fail(String(error)),
    });
    await step.tick();
    test.temp.clock.advance(10_000);
    await test.runAll('passed');
    const tickAfter = async (ms: number): Promise<number> => {
      test.temp.clock.advance(ms);
      await step.tick();
      return held.length;
    };
    // The second looks at everything, and finds the recovery that waits; a third of a lease later all is looked at again.
    for (const ms of [10, 1_000, 1_000, 1_500, 10]) assert.equal(await tickAfter(ms), 1);
    assert.deepEqual(polls, [true, true, false, false, true, false]);
    held[0]?.(test.outcome(200));
    await until('its record', () => test.one('SELECT count(*) FROM attempts') === 1);
    assert.equal(await tickAfter(0), 2, 'the recovery, at once');
    held[1]?.(test.outcome(200));
    await step.stop(5_000);
  });

  it('reckons with what another process left behind, for twice its lease, whether that one is still known or not', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const asked: boolean[] = [];
    let isKnown = false;
    const step = createSendDeliveries({
      store: {
        ...test.path,
        claimDeliveries: (claim) => {
          asked.push(claim.isShared);
          return test.path.claimDeliveries(claim);
        },
      },
      clock: test.temp.clock,
      owner: 'one',
      send: () => Promise.resolve(test.outcome(200)),
      wake: () => {},
      ...unnotified,
      isShared: () => isKnown,
      onError: (error) => assert.fail(String(error)),
    });
    const tickAfter = async (ms: number): Promise<void> => {
      test.temp.clock.advance(ms);
      await step.tick();
    };
    for (const ms of [0, 19_999, 1]) await tickAfter(ms);
    isKnown = true;
    await tickAfter(0);
    isKnown = false;
    for (const ms of [19_999, 1]) await tickAfter(ms);
    assert.deepEqual(asked, [true, true, false, true, true, false]);
  });

  it('goes on for hours with a channel that asked for the long tail, and with no other', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    const config = { name: 'Hook', url: 'http://127.0.0.1:9/' };
    const patient = await test.channel(checkId, { config: { ...config, longTail: true } });
    const usual = await test.channel(checkId, { config });
    await test.runAll('failed');
    test.temp.raw.exec('UPDATE deliveries SET attempts = 5');
    let logged = 0;
    const step = createSendDeliveries({
      store: test.path,
      clock: test.temp.clock,
      owner: 'one',
      send: () => Promise.resolve(test.outcome(503)),
      wake: () => {},
      ...unnotified,
      onSettled: () => logged++,
      onError: (error) => assert.fail(String(error)),
    });
    await step.tick();
    await until('both attempts', () => test.one('SELECT count(*) FROM attempts') === 2);
    await step.stop(1_000);
    const left = test.rows(
      'SELECT alert_channel_id AS channel, status, next_attempt_at AS due FROM deliveries ORDER BY channel',
    );
    assert.deepEqual(left, [
      { channel: patient, status: 0, due: test.now + 5 + 300_000 },
      { channel: usual, status: 2, due: null },
    ]);
    assert.equal(logged, 2);
  });

  it('logs an attempt once the store is there again, without sending twice', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    await test.runAll('failed');
    let [sent, refused] = [0, 0];
    const step = createSendDeliveries({
      store: {
        ...test.path,
        settleAttempts: (settled, rules) =>
          refused++ === 0
            ? Promise.reject(new StoreUnavailableError('full'))
            : test.path.settleAttempts(settled, rules),
      },
      clock: test.temp.clock,
      owner: 'one',
      send: () => {
        sent++;
        return Promise.resolve(test.outcome(200));
      },
      wake: () => {},
      ...unnotified,
      onError: () => {},
    });
    await step.tick();
    await until('the attempt', () => test.one('SELECT count(*) FROM attempts WHERE status = 200') === 1);
    await step.stop(1_000);
    assert.equal(sent, 1);
  });
});
