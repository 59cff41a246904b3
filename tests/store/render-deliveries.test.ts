// Deliveries are rendered by the step that sends them: outside of every transaction, once, before their first attempt.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createSendDeliveries, type SendDeliveriesOptions } from '#pipeline/send-deliveries.ts';
import type { Message, SendOutcome } from '#domain/deliveries/delivery.ts';
import { newId } from '#lib/id.ts';
import { it } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import { until } from '../support/until.ts';
import { PathUnderTest, prepared } from './path-under-test.ts';

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A sending step over the path, and what it rendered and sent. */
function sender(test: PathUnderTest, change: Partial<SendDeliveriesOptions> = {}) {
  const sent: Message[] = [];
  const renders: string[] = [];
  const step = createSendDeliveries({
    store: test.path,
    clock: test.temp.clock,
    owner: 'one',
    isShared: () => false,
    render: ({ config }, { variables }, createdAt) => {
      renders.push(textOf(config['name']));
      const body = JSON.stringify({ ...variables, createdAt });
      return { request: { method: 'POST', url: textOf(config['url']), headers: [], body } };
    },
    send: ({ request }) => {
      sent.push(request);
      return Promise.resolve(test.outcome(200));
    },
    wake: () => {},
    onError: (error) => assert.fail(String(error)),
    ...change,
  });
  return { step, sent, renders };
}

/** Fails every due check; the deliveries are not rendered. */
async function fail(test: PathUnderTest): Promise<void> {
  await test.schedule();
  const runs = await test.claim();
  await test.record(
    runs.map((claimed) => test.ended(claimed, 'failed')),
    'one',
    prepared,
  );
}

describe('rendering deliveries', () => {
  it('uses the time zone of the account as it is then', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    await fail(test);
    const [{ delivery } = assert.fail('it is due')] = await test.claimDeliveries();
    for (const timeZone of ['Europe/Berlin', null]) {
      await test.temp.store.accounts.change(test.accountId, { timeZone });
      const [content] = await test.path.readContents([delivery]);
      assert.equal(content?.timeZone, timeZone);
    }
  });

  it('happens once, with the channel and the variables as they are before the first attempt', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { store } = test.temp;
    const ofGroup = { key: 'TEAM', value: 'shop', locked: false, secret: false };
    const saved = await store.checkGroups.add({
      group: aGroup(test.accountId, { environmentVariables: [ofGroup] }),
      subscriptions: null,
      isAutoAssigned: false,
    });
    assert.ok('saved' in saved);
    const groupId = saved.saved.group.id;
    const checkId = await test.check({ groupId, name: 'Cart' });
    const channel = await test.channel(checkId);
    const other = await test.channel(checkId, { config: { name: 'Other', url: 'http://127.0.0.1:10/' } });
    await store.alertChannels.subscribe(test.accountId, other, { checkId: null, groupId, activated: true });
    await fail(test);
    const createdAt = test.now;
    assert.deepEqual(test.rows('SELECT status, error FROM deliveries'), [
      { status: 0, error: null },
      { status: 0, error: null },
    ]);
    assert.equal(test.one('SELECT count(*) FROM delivery_requests'), 0);
    assert.deepEqual(
      (await store.deliveries.list(test.accountId, {}, { limit: 10, offset: 0 })).rows.map(
        ({ delivery }) => delivery.request,
      ),
      [null, null],
    );
    for (const [key, value, secret] of [
      ['TEAM', 'all', false],
      ['TOKEN', 'hidden', true],
    ] as const) {
      await store.variables.add(test.accountId, { key, value, locked: false, secret });
    }
    await store.alertChannels.change(test.accountId, channel, ({ channel: present }) => ({
      channel: { ...present, config: { ...present.config, url: 'http://127.0.0.1:11/' } },
      subscriptions: null,
    }));

    const outcomes: SendOutcome[] = [test.outcome(503), test.outcome(200)];
    const { step, sent, renders } = sender(test, {
      send: ({ request }) => {
        sent.push(request);
        return Promise.resolve(outcomes[sent.length > 2 ? 1 : 0] ?? assert.fail());
      },
    });
    await step.tick();
    await until('both attempts', () => test.one('SELECT count(*) FROM attempts') === 2);
    const bodyOf = (team: string): string =>
      JSON.stringify({ TEAM: team, ALERT_TYPE: 'ALERT_FAILURE', CHECK_NAME: 'Cart', createdAt });
    assert.deepEqual(
      sent.map(({ url, body }) => ({ url, body })),
      [
        { url: 'http://127.0.0.1:11/', body: bodyOf('all') },
        { url: 'http://127.0.0.1:10/', body: bodyOf('shop') },
      ],
    );
    test.temp.clock.advance(30_000);
    await step.tick();
    await until('the retries', () => test.one('SELECT count(*) FROM attempts') === 4);
    await step.stop(1_000);
    assert.deepEqual(sent.slice(2), sent.slice(0, 2), 'the same bytes');
    assert.deepEqual(renders, ['Hook', 'Other']);
  });

  it('is done anew for a replay, which says what it replays, also of a delivery that was never rendered', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { deliveries } = test.temp.store;
    await test.channel(await test.check({ name: 'Cart' }));
    await fail(test);
    const [first] = (await deliveries.list(test.accountId, {}, { limit: 1, offset: 0 })).rows;
    const replayOf = first?.delivery.id ?? assert.fail();
    assert.equal(await deliveries.cancel(test.accountId, replayOf), 'done');
    const id = newId();
    assert.equal(await deliveries.replay(test.accountId, replayOf, id), 'done');
    const { step, sent } = sender(test);
    await step.tick();
    await until('the replay', () => sent.length === 1);
    await step.stop(1_000);
    const { createdAt: _, ...variables } = JSON.parse(sent[0]?.body ?? '') as Record<string, unknown>;
    const replay = { DELIVERY_ID: id, IS_REPLAY: true, REPLAY_OF: replayOf };
    assert.deepEqual(variables, { ALERT_TYPE: 'ALERT_FAILURE', CHECK_NAME: 'Cart', ...replay });
  });

  it('that fails ends its own delivery, which says why', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    await test.channel(checkId, { config: { name: 'broken', url: 'http://127.0.0.1:9/' } });
    await test.channel(checkId, { config: { name: 'thrown', url: 'http://127.0.0.1:9/' } });
    const whole = await test.channel(checkId);
    const lost = await test.channel(checkId);
    await fail(test);
    test.temp.raw.exec(
      `DELETE FROM delivery_contents WHERE delivery_id IN (SELECT id FROM deliveries WHERE alert_channel_id = ${lost})`,
    );
    const { step, sent } = sender(test, {
      render: ({ config }) => {
        if (config['name'] === 'thrown') throw new Error('no such helper');
        if (config['name'] === 'broken') return { error: 'config.url: not a URL' };
        return { request: { method: 'POST', url: 'http://127.0.0.1:9/', headers: [], body: '' } };
      },
    });
    await step.tick();
    await until('all of them', () => test.one('SELECT count(*) FROM deliveries WHERE status = 0') === 0);
    await step.stop(1_000);
    assert.equal(sent.length, 1);
    assert.deepEqual(
      test.rows(
        'SELECT status, error, leased_by AS lease, next_attempt_at AS due FROM deliveries ORDER BY alert_channel_id',
      ),
      [
        { status: 4, error: 'config.url: not a URL', lease: null, due: null },
        { status: 4, error: 'The delivery could not be rendered: no such helper', lease: null, due: null },
        { status: 1, error: null, lease: null, due: null },
        { status: 4, error: 'The content of this delivery is missing from the database.', lease: null, due: null },
      ],
    );
    assert.equal(
      test.one(`SELECT count(*) FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
      WHERE d.alert_channel_id <> ${whole}`),
      0,
    );
  });

  it('interrupted by a crash is done by the next claim, and no attempt is shown as interrupted', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    await test.channel(await test.check());
    await fail(test);
    const [claimed] = await test.claimDeliveries('gone');
    assert.equal(claimed?.delivery.request, null);
    test.temp.clock.advance(10_001);
    const { step, sent } = sender(test);
    await step.tick();
    await until('the attempt', () => test.one('SELECT count(*) FROM attempts') === 1);
    await step.stop(1_000);
    assert.equal(sent.length, 1);
    assert.deepEqual(test.rows('SELECT number, status, error_class AS error FROM attempts'), [
      { number: 1, status: 200, error: null },
    ]);
  });

  it('gives way to the event loop', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    for (let channel = 0; channel < 60; channel++) await test.channel(checkId);
    await fail(test);
    let [ticks, longest, since, isOver] = [0, 0, 0, false];
    const tick = (): void => {
      ticks++;
      since = 0;
      if (!isOver) setImmediate(tick);
    };
    const { step, sent } = sender(test, {
      render: () => {
        const end = performance.now() + 3;
        while (performance.now() < end);
        longest = Math.max(longest, ++since);
        return { request: { method: 'POST', url: 'http://127.0.0.1:9/', headers: [], body: '' } };
      },
    });
    setImmediate(tick);
    await step.tick();
    await until('all of them', () => sent.length === 60);
    isOver = true;
    await until('their records', () => test.one('SELECT count(*) FROM attempts') === 60);
    await step.stop(1_000);
    assert.ok(longest <= 2, `${longest} were rendered without giving way`);
    assert.ok(ticks >= 30);
  });
});
