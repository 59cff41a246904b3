// Channels that wait after an alert are notified if it is open and not acknowledged (docs/decisions/0145).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { longestEscalationMinutes } from '#domain/alerts/alert-channel.ts';
import { idText } from '#store/base/codec.ts';
import { statesAtOnce } from '#store/path/states/judge-states.ts';
import { it, type NewStore, onSqlite } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import { inspect, PathUnderTest } from './path-under-test.ts';

const minute = 60_000;

/** A check of which one channel is notified at once, and one after ten minutes. */
async function open(newStore: NewStore, change: object = {}) {
  const test = await PathUnderTest.open(newStore);
  const check = await test.check(change);
  const first = await test.channel(check);
  const later = await test.channel(null, { sendDegraded: true });
  await escalate(test, check, later);
  return { test, check, first, later };
}

async function escalate(test: PathUnderTest, checkId: string, channel: number, escalationMinutes = 10): Promise<void> {
  const subscription = { checkId, groupId: null, activated: true, escalationMinutes };
  await test.temp.store.alertChannels.subscribe(test.accountId, channel, subscription);
}

/** Lets the checks run now. */
async function run(test: PathUnderTest, outcome: 'passed' | 'failed' | 'degraded'): Promise<void> {
  await test.runAll(outcome);
  test.temp.clock.advance(10_000);
}

/** What a channel was sent. */
const sentTo = (test: PathUnderTest, channel: number): unknown[] =>
  test
    .rows(`SELECT alert_type FROM deliveries WHERE alert_channel_id = ${channel} ORDER BY id`)
    .map((row) => row['alert_type']);

/** The incident that is open. */
const incident = (test: PathUnderTest): string =>
  idText(test.one('SELECT id FROM incidents WHERE ended_at IS NULL') as Uint8Array);

const by = { kind: 'api-key', name: 'Night shift' } as never;

describe('a channel with an escalation', () => {
  onSqlite('is notified of the alert after its minutes, then of the recovery', async (newStore) => {
    const { test, first, later } = await open(newStore);
    await using _ = test;
    const failedAt = test.now;
    await run(test, 'failed');
    assert.deepEqual([sentTo(test, first), sentTo(test, later)], [['ALERT_FAILURE'], []]);
    assert.equal(test.one('SELECT channels FROM alerts'), 1);
    test.temp.clock.advance(failedAt + 10 * minute - 1 - test.now);
    assert.deepEqual(await inspect(test), [], 'not yet');
    test.temp.clock.advance(1);
    assert.deepEqual(
      (await inspect(test)).map(({ alertTypes, deliveries }) => [alertTypes, deliveries]),
      [[[], 1]],
    );
    assert.deepEqual(sentTo(test, later), ['ALERT_FAILURE']);
    const alerts = test.rows('SELECT id FROM alerts');
    assert.equal(alerts.length, 1, 'it is about the alert that was raised');
    assert.equal(test.one('SELECT channels FROM alerts'), 2);
    const [own] = test.rows(`SELECT alert_id FROM deliveries WHERE alert_channel_id = ${later}`);
    assert.deepEqual(own?.['alert_id'], alerts[0]?.['id']);
    assert.deepEqual(await inspect(test), [], 'once');
    await run(test, 'passed');
    assert.deepEqual(
      [sentTo(test, first), sentTo(test, later)],
      [
        ['ALERT_FAILURE', 'ALERT_RECOVERY'],
        ['ALERT_FAILURE', 'ALERT_RECOVERY'],
      ],
    );
  });

  it('is notified of nothing if the check recovers before, or is deleted', async (newStore) => {
    const { test, check, later } = await open(newStore);
    await using _ = test;
    await run(test, 'failed');
    await run(test, 'passed');
    test.temp.clock.advance(20 * minute);
    assert.deepEqual(await inspect(test), []);
    await run(test, 'failed');
    test.temp.clock.advance(9 * minute);
    assert.deepEqual(await inspect(test), [], 'a new failure has minutes of its own');
    await test.remove(check);
    test.temp.clock.advance(20 * minute);
    assert.deepEqual(await inspect(test), []);
    assert.deepEqual(sentTo(test, later), []);
    assert.deepEqual(test.rows('SELECT * FROM notified'), []);
  });

  it('is not notified of an acknowledged alert, unless that is taken back', async (newStore) => {
    const { test, later } = await open(newStore);
    await using _ = test;
    const { incidents } = test.temp.store;
    await run(test, 'failed');
    assert.equal(await incidents.acknowledge(test.accountId, incident(test), by, test.now), 'done');
    test.temp.clock.advance(20 * minute);
    assert.deepEqual(await inspect(test), []);
    assert.equal(await incidents.unacknowledge(test.accountId, incident(test)), 'done');
    assert.equal((await inspect(test)).length, 1);
    assert.deepEqual(sentTo(test, later), ['ALERT_FAILURE']);
  });

  it('waits while the check is muted or paused', async (newStore) => {
    const { test, check, later } = await open(newStore);
    await using _ = test;
    await run(test, 'failed');
    for (const [change, back] of [
      [{ muted: true }, { muted: false }],
      [{ mutedUntil: test.now + 30 * minute }, { mutedUntil: null }],
      [{ activated: false }, { activated: true }],
    ]) {
      await test.edit(check, change ?? {});
      test.temp.clock.advance(10 * minute);
      assert.deepEqual(await inspect(test), [], JSON.stringify(change));
      await test.edit(check, back ?? {});
    }
    assert.equal((await inspect(test)).length, 1);
    assert.deepEqual(sentTo(test, later), ['ALERT_FAILURE']);
  });

  onSqlite('is notified of the present state, after the minutes since the first alert', async (newStore) => {
    const { test, later } = await open(newStore);
    await using _ = test;
    const degradedAt = test.now;
    await run(test, 'degraded');
    await run(test, 'failed');
    test.temp.clock.advance(degradedAt + 10 * minute - test.now);
    assert.equal((await inspect(test)).length, 1);
    assert.deepEqual(sentTo(test, later), ['ALERT_FAILURE']);
    const [own] = test.rows(
      `SELECT a.alert_type FROM deliveries d JOIN alerts a ON a.id = d.alert_id WHERE d.alert_channel_id = ${later}`,
    );
    assert.equal(own?.['alert_type'], 'ALERT_FAILURE');
  });

  it('is not notified once it is no longer subscribed', async (newStore) => {
    const { test, check, later } = await open(newStore);
    await using _ = test;
    await run(test, 'failed');
    const off = { checkId: check, groupId: null, activated: false };
    await test.temp.store.alertChannels.subscribe(test.accountId, later, off);
    test.temp.clock.advance(20 * minute);
    await inspect(test);
    assert.deepEqual(sentTo(test, later), []);
    assert.deepEqual(await inspect(test), []);
  });

  onSqlite('is notified of a check that flaps, although it passes again and again', async (newStore) => {
    const { test, later } = await open(newStore, { frequency: 1, frequencyOffset: null });
    await using _ = test;
    for (let round = 0; round < 40; round++) {
      await test.runAll(round % 5 === 4 ? 'passed' : 'failed');
      test.temp.clock.advance(minute);
      await inspect(test);
    }
    assert.equal(sentTo(test, later)[0], 'ALERT_FAILURE');
  });

  onSqlite('takes changed minutes into account while it waits', async (newStore) => {
    const { test, check, later } = await open(newStore);
    await using _ = test;
    await run(test, 'failed');
    await escalate(test, check, later, 0);
    assert.equal((await inspect(test)).length, 1);
    assert.deepEqual(sentTo(test, later), ['ALERT_FAILURE']);
  });

  it('keeps its minutes when the clock is set, and waits a day at most', async (newStore) => {
    const { test, later } = await open(newStore);
    await using _ = test;
    await run(test, 'failed');
    test.temp.clock.advance(-24 * 60 * minute);
    await test.path.moveWithClock(-24 * 60 * minute, test.now);
    test.temp.clock.advance(9 * minute);
    assert.deepEqual(await inspect(test), []);
    test.temp.clock.advance(minute);
    assert.equal((await inspect(test)).length, 1, 'ten minutes passed');
    await run(test, 'passed');
    await run(test, 'failed');
    test.temp.clock.advance(-(longestEscalationMinutes + 11) * minute);
    await test.path.takeOver(test.now);
    test.temp.clock.advance(1000);
    assert.equal((await inspect(test)).length, 1, 'the clock was set back while nothing ran');
    assert.deepEqual(sentTo(test, later), ['ALERT_FAILURE', 'ALERT_RECOVERY', 'ALERT_FAILURE']);
  });

  it('is notified of every one of many checks, in one message during a storm', async (newStore) => {
    const { test, first, later } = await open(newStore);
    await using _ = test;
    test.digested.add('SLACK');
    const grouped = await test.channel(null, { type: 'SLACK', grouping: true });
    const count = statesAtOnce + 5;
    for (let more = 1; more < count; more++) {
      const checkId = await test.check();
      await escalate(test, checkId, later);
      await escalate(test, checkId, grouped);
    }
    const failedAt = test.now;
    await run(test, 'failed');
    test.temp.clock.advance(failedAt + 10 * minute - test.now);
    assert.equal((await inspect(test)).length, count);
    assert.equal(sentTo(test, later).length, count);
    const messages = test.rows(`SELECT digest_id, is_digest FROM deliveries WHERE alert_channel_id = ${grouped}`);
    assert.equal(messages.filter(({ is_digest }) => is_digest === 1).length, 1);
    assert.equal(
      messages.filter(({ digest_id, is_digest }) => is_digest === 0 && digest_id !== null).length,
      count - 1,
    );
    assert.equal(sentTo(test, first).length, 1);
  });

  it('takes the shorter of two subscriptions, of the check and of its group', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { checkGroups, alertChannels } = test.temp.store;
    const saved = await checkGroups.add({ group: aGroup(test.accountId), subscriptions: [], isAutoAssigned: false });
    assert.ok('saved' in saved);
    const groupId = saved.saved.group.id;
    const later = await test.channel(null);
    await escalate(test, await test.check({ groupId }), later);
    const ofGroup = { checkId: null, groupId, activated: true, escalationMinutes: 3 };
    await alertChannels.subscribe(test.accountId, later, ofGroup);
    const failedAt = test.now;
    await run(test, 'failed');
    const [row] = test.rows(`SELECT escalates_at FROM notified WHERE alert_channel_id = ${later}`);
    assert.equal(row?.['escalates_at'], failedAt + 3 * minute);
  });
});
