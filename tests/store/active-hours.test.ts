// Deliveries outside the active hours of their channel wait or are sent through another one, on both engines.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { ActiveHours } from '#domain/alerts/active-hours.ts';
import { createActiveHours } from '#pipeline/parts/admit-deliveries.ts';
import { createSendDeliveries } from '#pipeline/send-deliveries.ts';
import { it, type NewStore, onSqlite } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { PathUnderTest } from './path-under-test.ts';

const hour = 3_600_000;

/** Active from an hour after `now`, for an hour; every day. */
function laterThan(now: number, change: Partial<ActiveHours> = {}): ActiveHours {
  const time = (at: number): string => new Date(at).toISOString().slice(11, 16);
  const days = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'] as const;
  const periods = [{ days, from: time(now + hour), to: time(now + 2 * hour) }];
  return { timeZone: 'UTC', periods, outside: 'WAIT', otherChannelId: null, ...change };
}

/** A check with a channel that has active hours, and another channel. */
async function open(newStore: NewStore, change: (other: number) => Partial<ActiveHours> = () => ({})) {
  const test = await PathUnderTest.open(newStore);
  const other = await test.channel(null);
  const activeHours = laterThan(test.now, change(other));
  const own = await test.channel(await test.check(), { activeHours });
  const sent: string[] = [];
  const deliveries = createSendDeliveries({
    store: test.path,
    clock: test.temp.clock,
    owner: 'one',
    isShared: () => false,
    render: () => ({ request: { method: 'POST', url: 'http://127.0.0.1:9/', headers: [], body: 'x' } }),
    admitFirst: createActiveHours({
      ...test.temp.store.activeHours,
      isSuperseded: (type) => type !== 'WEBHOOK',
      isDigested: (type) => type === 'EMAIL',
      clock: test.temp.clock,
      owner: 'one',
    }),
    send: ({ alertType }, { id }) => {
      sent.push(`${alertType} ${id === own ? 'own' : 'other'}`);
      return Promise.resolve(test.outcome(200));
    },
    wake: () => {},
    onError: (error) => assert.fail(String(error)),
  });
  const tick = async (): Promise<void> => {
    await deliveries.tick();
    await until('deliveries to be settled', () => deliveries.inProgress === 0);
  };
  return { test, deliveries, sent, tick, own, other, activeHours };
}

const pending = (test: PathUnderTest): unknown[] =>
  test.rows('SELECT next_attempt_at AS at, leased_by, error FROM deliveries WHERE status = 0');

describe('a delivery outside the active hours of its channel', () => {
  onSqlite('waits with the reason, and is sent when they begin', async (newStore) => {
    const { test, sent, tick } = await open(newStore);
    await using _ = test;
    const at = test.now + hour;
    await test.runAll('failed');
    await tick();
    const error = `outside the active hours of the channel; continues at ${new Date(at).toISOString()}`;
    assert.deepEqual([sent, pending(test)], [[], [{ at, leased_by: null, error }]]);
    test.temp.clock.advance(hour);
    await tick();
    assert.deepEqual([sent, pending(test)], [['ALERT_FAILURE own'], []]);
    assert.equal(test.one('SELECT error FROM deliveries'), null);
  });

  onSqlite('does not wait for a sending quota meanwhile', async (newStore) => {
    const { test, tick } = await open(newStore);
    await using _ = test;
    await test.runAll('failed');
    // A quota let it wait for half an hour, until now.
    test.temp.raw.exec(`UPDATE deliveries SET quota_waits_since = ${test.now - hour / 2}`);
    await tick();
    assert.equal(test.one('SELECT quota_waits_since FROM deliveries'), test.now + hour / 2);
  });

  it('is due at once when the hours are removed', async (newStore) => {
    const { test, sent, tick, own } = await open(newStore);
    await using _ = test;
    await test.runAll('failed');
    await tick();
    await test.temp.store.alertChannels.change(test.accountId, own, ({ channel }) => ({
      channel: { ...channel, activeHours: null },
      subscriptions: null,
    }));
    await tick();
    assert.deepEqual(sent, ['ALERT_FAILURE own']);
  });

  it('is sent through another channel, which gets the recovery even within the hours', async (newStore) => {
    const { test, sent, tick, own, other } = await open(newStore, (otherChannelId) => ({
      outside: 'OTHER_CHANNEL',
      otherChannelId,
    }));
    await using _ = test;
    await test.runAll('failed');
    await tick();
    await tick();
    assert.deepEqual(sent, ['ALERT_FAILURE other']);
    assert.deepEqual(test.rows('SELECT alert_channel_id, routed_from FROM deliveries'), [
      { alert_channel_id: other, routed_from: own },
    ]);
    test.temp.clock.advance(hour);
    await test.runAll('passed');
    await tick();
    await tick();
    await test.runAll('failed');
    test.temp.clock.advance(10_000);
    await test.runAll('failed');
    await tick();
    assert.deepEqual(sent, ['ALERT_FAILURE other', 'ALERT_RECOVERY other', 'ALERT_FAILURE own']);
  });

  onSqlite(
    'about a check that flaps follows the first message, whose alert is open at the other channel',
    async (newStore) => {
      const { test, sent, tick, own } = await open(newStore, (otherChannelId) => ({
        outside: 'OTHER_CHANNEL',
        otherChannelId,
      }));
      await using _ = test;
      await test.runAll('failed');
      await tick();
      await tick();
      const flapping = JSON.stringify({ since: test.now, collectingId: null, incidentId: null });
      test.temp.raw.exec(`UPDATE notified SET flapping = '${flapping}'`);
      test.temp.clock.advance(hour);
      const id = idBytes(newId());
      test.temp.raw
        .prepare(
          `INSERT INTO deliveries (account_id, id, alert_channel_id, check_id, check_result_id, alert_type, status, attempts,
           created_at, next_attempt_at, is_test, is_digest)
         SELECT account_id, ?, ${own}, check_id, check_result_id, alert_type, 0, 0, ${test.now}, ${test.now}, 0, 0 FROM deliveries`,
        )
        .run(id);
      test.temp.raw
        .prepare('INSERT INTO delivery_requests SELECT account_id, ?, request FROM delivery_requests')
        .run(id);
      await tick();
      await tick();
      assert.deepEqual(sent, ['ALERT_FAILURE other', 'ALERT_FAILURE other']);
    },
  );

  onSqlite('waits as a recovery of an alert that its channel sent', async (newStore) => {
    const { test, sent, tick } = await open(newStore, (otherChannelId) => ({
      outside: 'OTHER_CHANNEL',
      otherChannelId,
    }));
    await using _ = test;
    test.temp.clock.advance(hour);
    await test.runAll('failed');
    await tick();
    test.temp.clock.advance(hour);
    await test.runAll('passed');
    await tick();
    assert.deepEqual([sent, pending(test).length], [['ALERT_FAILURE own'], 1]);
    test.temp.clock.advance(23 * hour);
    await tick();
    assert.deepEqual(sent, ['ALERT_FAILURE own', 'ALERT_RECOVERY own']);
  });

  it('is one reminder when the hours begin, however many waited', async (newStore) => {
    const { test, sent, tick } = await open(newStore);
    await using _ = test;
    await test.runAll('failed');
    await tick();
    for (let reminder = 0; reminder < 3; reminder++) {
      test.temp.clock.advance(10_000);
      await test.schedule();
      const rules = { reminders: { amount: 9, intervalMs: 10_000 } };
      const ended = (await test.claim()).map((claimed) => {
        const attempt = test.ended(claimed, 'failed');
        return { ...attempt, rules: { ...attempt.rules, ...rules } };
      });
      await test.record(ended, 'one', (facts) => ({
        content: { variables: { IS_REMINDER: facts.reminder !== null, NUMBER: facts.reminder ?? 0 }, groupId: null },
      }));
      await tick();
    }
    assert.equal(test.one('SELECT count(*) FROM deliveries WHERE status = 8'), 2, 'a webhook, too');
    test.temp.clock.advance(hour);
    await tick();
    await tick();
    assert.deepEqual(sent, ['ALERT_FAILURE own', 'ALERT_FAILURE own'], 'the alert and the last reminder');
  });

  onSqlite('ends as a reminder that was cancelled meanwhile', async (newStore) => {
    const { test, own } = await open(newStore);
    await using _ = test;
    await test.runAll('failed');
    const [{ delivery } = assert.fail('it is due')] = await test.claimDeliveries('one');
    const error = 'the incident was acknowledged';
    test.temp.raw.exec(`UPDATE deliveries SET error = '${error}'`);
    const admit = createActiveHours({
      ...test.temp.store.activeHours,
      isSuperseded: (type) => type !== 'WEBHOOK',
      isDigested: (type) => type === 'EMAIL',
      clock: test.temp.clock,
      owner: 'one',
    });
    const found = await test.temp.store.alertChannels.find(test.accountId, own);
    assert.equal(await admit(delivery, found?.channel ?? assert.fail()), false);
    assert.deepEqual(test.rows('SELECT status, error, next_attempt_at AS at FROM deliveries'), [
      { status: 5, error, at: null },
    ]);
  });

  onSqlite('is sent at any time as a test message or a replay', async (newStore) => {
    const { test, sent, tick, own } = await open(newStore);
    await using _ = test;
    await test.runAll('failed');
    const [delivery] = test.rows('SELECT * FROM deliveries');
    for (const column of ['is_test = 1', 'is_test = 0, replay_of = id']) {
      test.temp.raw
        .prepare(`UPDATE deliveries SET status = 0, attempts = 0, next_attempt_at = ?, ${column}`)
        .run(test.now);
      await tick();
    }
    assert.deepEqual(sent, ['ALERT_FAILURE own', 'ALERT_FAILURE own']);
    assert.equal(delivery?.['alert_channel_id'], own);
  });

  it('waits if the other channel is deleted', async (newStore) => {
    const { test, sent, tick, own, other } = await open(newStore, (otherChannelId) => ({
      outside: 'OTHER_CHANNEL',
      otherChannelId,
    }));
    await using _ = test;
    assert.equal(await test.temp.store.alertChannels.remove(test.accountId, other), true);
    const found = await test.temp.store.alertChannels.find(test.accountId, own);
    assert.deepEqual([found?.channel.activeHours?.outside, found?.channel.activeHours?.otherChannelId], ['WAIT', null]);
    await test.runAll('failed');
    await tick();
    assert.deepEqual([sent, pending(test).length], [[], 1]);
  });
});

onSqlite('a channel cannot name itself or an unknown channel', async (newStore) => {
  const { test, own, activeHours } = await open(newStore);
  await using _ = test;
  for (const otherChannelId of [own, 99]) {
    const saved = await test.temp.store.alertChannels.change(test.accountId, own, ({ channel }) => ({
      channel: { ...channel, activeHours: { ...activeHours, outside: 'OTHER_CHANNEL', otherChannelId } },
      subscriptions: null,
    }));
    assert.deepEqual(saved, { dangling: 'activeHours.otherChannelId' });
  }
});
