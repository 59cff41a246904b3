// Checks, groups and channels that are deleted during an incident: notified channels receive the recovery, once
// (docs/decisions/0103).
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import type { DeliveryFacts } from '#domain/results/recording.ts';
import { idBytes, idText } from '#store/base/codec.ts';
import { it } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import { HeartbeatUnderTest, minute, settingsOf } from './heartbeat-under-test.ts';
import { PathUnderTest, rendered } from './path-under-test.ts';

const sent = (test: PathUnderTest): unknown[] =>
  test
    .rows('SELECT alert_channel_id AS channel, alert_type AS type FROM deliveries ORDER BY id')
    .map(({ channel, type }) => `${String(channel)} ${String(type)}`);

/** One slot of every check, with that outcome; then the next slot is due. */
async function slot(test: PathUnderTest, outcome: 'passed' | 'degraded' | 'failed'): Promise<void> {
  // An edit may have given its only check other times.
  test.temp.clock.advance(Math.max(0, (test.dueAt() ?? 0) - test.now));
  await test.runAll(outcome);
  test.temp.clock.advance(10_000);
}

/** Copies the only row of a table under other numbers. */
function copyRows(test: PathUnderTest, table: string, number: string, from: number, to: number): void {
  const columns = Object.keys(test.rows(`SELECT * FROM ${table}`)[0] ?? {});
  const values = columns.map((name) => (name === number ? 'i' : name));
  test.temp.raw.exec(`WITH RECURSIVE numbers (i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM numbers WHERE i < ${to})
    INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${table} CROSS JOIN numbers`);
}

describe('a check that is deleted while it fails', () => {
  it('sends recoveries only to notified channels that want them', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    const [notified, both, open, spared] = [
      await test.channel(checkId),
      await test.channel(checkId, { sendDegraded: true }),
      await test.channel(checkId, { sendRecovery: false }),
      await test.channel(checkId, { sendFailure: false }),
    ];
    await slot(test, 'failed');
    await slot(test, 'degraded');
    const late = await test.channel(checkId);
    const before = sent(test);
    assert.deepEqual(before, [
      `${notified} ALERT_FAILURE`,
      `${both} ALERT_FAILURE`,
      `${open} ALERT_FAILURE`,
      `${both} ALERT_DEGRADED`,
    ]);
    assert.equal(await test.remove(checkId), true);
    assert.deepEqual(
      sent(test).slice(before.length),
      [`${notified} ALERT_RECOVERY`, `${both} ALERT_DEGRADED_RECOVERY`, `${spared} ALERT_RECOVERY`],
      `${late} was not notified`,
    );
    assert.equal(test.one('SELECT count(*) FROM notified'), 0);
    assert.equal(await test.remove(checkId), false);
    assert.equal(sent(test).length, before.length + 3, 'no channel is notified twice');
  });

  it('does the same if many checks are deleted together', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { accountId } = test;
    const { checkChanges } = test.temp.store;
    const checkId = await test.check();
    const channel = await test.channel(checkId);
    await slot(test, 'failed');
    const change = { accountId, id: randomUUID(), edit: null, checkIds: [checkId], createdAt: test.now };
    assert.equal(await checkChanges.add(change), 'added');
    const [open] = await checkChanges.claim({ owner: 'one', now: test.now, leaseMs: minute }, 1);
    assert.ok(open);
    const rules = { decide: null, missing: 'missing', reasonOf: () => 'dangling' };
    await checkChanges.applyPart(open, 'one', await checkChanges.nextPart(open), rules, { render: rendered });
    assert.equal((await checkChanges.find(accountId, change.id))?.changed, 1);
    assert.deepEqual(sent(test), [`${channel} ALERT_FAILURE`, `${channel} ALERT_RECOVERY`]);
  });

  it('says so, with what is known of its last run, and by the variables of the group that is the cause', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { checkGroups, alertChannels, variables } = test.temp.store;
    const environmentVariables = [{ key: 'TEAM', value: 'night', locked: false, secret: false }];
    const group = aGroup(test.accountId, { environmentVariables });
    const added = await checkGroups.add({ group, subscriptions: null, isAutoAssigned: false });
    assert.ok('saved' in added);
    const groupId = added.saved.group.id;
    await variables.add(test.accountId, { key: 'LEVEL', value: '2', locked: false, secret: false });
    const checkId = await test.check({ groupId });
    const channel = await test.channel(checkId, { sendFailure: true });
    await alertChannels.change(test.accountId, channel, ({ channel: present }) => ({
      channel: present,
      subscriptions: [{ checkId: null, groupId, activated: true }],
    }));
    const startedAt = test.now;
    await slot(test, 'failed');
    const facts: DeliveryFacts[] = [];
    await test.remove(checkId, (each) => {
      facts.push(each);
      return rendered(each);
    });
    const last = facts.at(-1);
    assert.ok(last !== undefined);
    const { context, finding } = last;
    assert.deepEqual(
      [last.isDeletion, last.alertType, last.location, last.isViaGroup, finding.startedAt, finding.responseTimeMs],
      [true, 'ALERT_RECOVERY', 'local', true, startedAt, null],
    );
    assert.equal(context.check.id, checkId);
    assert.deepEqual(context.group?.environmentVariables, environmentVariables);
    assert.deepEqual(
      context.variables.map(({ key, value }) => [key, value]),
      [['LEVEL', '2']],
    );
    const { resultId } = last;
    const [closing] =
      test.rows(`SELECT d.check_result_id AS of_delivery, a.result_id AS of_alert, a.error, a.status_code
      FROM deliveries d JOIN alerts a ON a.account_id = d.account_id AND a.id = d.alert_id
      WHERE d.alert_type = 'ALERT_RECOVERY'`);
    assert.deepEqual(
      [closing?.['error'], closing?.['status_code']],
      ['the check was deleted', null],
      'alerts tell it from a recovery',
    );
    for (const id of [closing?.['of_delivery'], closing?.['of_alert']]) {
      assert.deepEqual(Buffer.from(id as Uint8Array), Buffer.from(idBytes(resultId)));
    }
  });

  it('is notified after the pending failure, and both can be read afterwards', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    await test.channel(checkId);
    await slot(test, 'failed');
    await test.remove(checkId);
    const [failure, ...early] = await test.claimDeliveries();
    assert.ok(failure !== undefined);
    assert.deepEqual([failure.delivery.alertType, early.length], ['ALERT_FAILURE', 0]);
    await test.settle(failure, 200);
    const [recovery] = await test.claimDeliveries();
    assert.equal(recovery?.delivery.alertType, 'ALERT_RECOVERY');
    assert.ok(recovery.delivery.createdAt > failure.delivery.createdAt);
    await test.settle(recovery, 200);
    const { store } = test.temp;
    const page = { limit: 10, offset: 0 };
    const { rows } = await store.deliveries.list(test.accountId, { checkId }, page);
    assert.deepEqual(
      rows.map(({ delivery, log }) => [delivery.alertType, delivery.status, log.length]),
      [
        ['ALERT_RECOVERY', 'delivered', 1],
        ['ALERT_FAILURE', 'delivered', 1],
      ],
    );
    const alerts = await store.checkAlerts.list(test.accountId, { from: 0, to: Date.now(), checkId: null }, page);
    assert.deepEqual(
      alerts.rows.map(({ alertType, checkName, error }) => [alertType, checkName, error]),
      [
        ['ALERT_RECOVERY', 'Shop', 'the check was deleted'],
        ['ALERT_FAILURE', 'Shop', 'status 500'],
      ],
    );
  });

  it('sends the recovery if it is muted, and nothing if it passes', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const [muted, passing] = [await test.check(), await test.check()];
    const channel = await test.channel(muted);
    await test.temp.store.alertChannels.subscribe(test.accountId, channel, {
      checkId: passing,
      groupId: null,
      activated: true,
    });
    await slot(test, 'failed');
    await slot(test, 'passed');
    const closed = sent(test);
    await test.remove(passing);
    assert.deepEqual(sent(test), closed);
    assert.equal(test.one('SELECT count(*) FROM alerts'), 4, 'nor is there an alert of it');
    await slot(test, 'failed');
    await test.edit(muted, { muted: true });
    await test.remove(muted);
    assert.deepEqual(sent(test).slice(closed.length), [`${channel} ALERT_FAILURE`, `${channel} ALERT_RECOVERY`]);
  });

  it('without a channel leaves the alert that ends it on the list', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    await slot(test, 'failed');
    await test.remove(checkId);
    assert.deepEqual(
      test.rows('SELECT alert_type AS type FROM alerts ORDER BY id').map(({ type }) => type),
      ['ALERT_FAILURE', 'ALERT_RECOVERY'],
    );
    assert.equal(test.one('SELECT count(*) FROM deliveries'), 0);
  });

  it('tells as many channels as there are, and one that cannot be rendered costs no other', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const checkId = await test.check();
    const first = await test.channel(checkId);
    await slot(test, 'failed');
    copyRows(test, 'alert_channels', 'id', first + 1, first + 4000);
    copyRows(test, 'notified', 'alert_channel_id', first + 1, first + 4000);
    await test.remove(checkId, (facts) => {
      if (facts.channel.id === first + 7) throw new Error('no such helper\0');
      return rendered(facts);
    });
    assert.deepEqual(
      test.rows(`SELECT d.status, count(*) AS deliveries, count(r.request) AS requests FROM deliveries d
        LEFT JOIN delivery_requests r ON r.account_id = d.account_id AND r.delivery_id = d.id
        WHERE d.alert_type = 'ALERT_RECOVERY' GROUP BY d.status ORDER BY d.status`),
      [{ status: 0, deliveries: 4001, requests: 4000 }],
      'it fails when it is rendered',
    );
  });

  it('during or right after a run sends recoveries to the notified channels, in either order', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const other = await test.check();
    const channel = await test.channel(other);
    for (let round = 0; round < 30; round++) {
      const checkId = await test.check();
      const subscription = { checkId, groupId: null, activated: true };
      await test.temp.store.alertChannels.subscribe(test.accountId, channel, subscription);
      await test.schedule();
      const runs = await test.claim();
      const ended = runs.map((claimed) => test.ended(claimed, 'failed'));
      const [recorded] = await Promise.all([
        test.record(ended.filter(({ run }) => run.checkId === checkId)),
        test.remove(checkId),
      ]);
      test.temp.clock.advance(10_000);
      const opened = recorded[0]?.isRecorded === true ? ['ALERT_FAILURE', 'ALERT_RECOVERY'] : [];
      assert.deepEqual(
        test
          .rows('SELECT check_id, alert_type AS type FROM deliveries ORDER BY id')
          .filter(({ check_id }) => idText(check_id as Uint8Array) === checkId)
          .map(({ type }) => type),
        opened,
        `round ${round}`,
      );
      assert.equal((await test.record(ended.filter(({ run }) => run.checkId === checkId)))[0]?.isRecorded, false);
    }
    assert.equal(test.one('SELECT count(*) FROM notified'), 0);
    assert.equal(test.one(`SELECT count(*) FROM check_states`), 0);
  });
});

describe('a heartbeat that is deleted while it is judged', () => {
  it('sends the recovery of a missing heartbeat and removes it', async (newStore) => {
    await using beat = await HeartbeatUnderTest.open(newStore);
    const { test } = beat;
    const [row] = test.rows('SELECT id FROM alert_channels');
    const channel = Number(row?.['id']);
    for (let round = 0; round < 20; round++) {
      const token = randomUUID();
      const { id } = await test.add({ checkType: 'HEARTBEAT', settings: settingsOf(token, 10) });
      const subscription = { checkId: id, groupId: null, activated: true };
      await test.temp.store.alertChannels.subscribe(test.accountId, channel, subscription);
      await beat.ping('ping');
      await beat.ping('ping', { token });
      test.temp.clock.advance(16 * minute);
      await Promise.all([beat.judge(), test.remove(id)]);
      const types = test
        .rows('SELECT check_id, alert_type AS type FROM deliveries ORDER BY id')
        .filter(({ check_id }) => idText(check_id as Uint8Array) === id)
        .map(({ type }) => type);
      assert.deepEqual(types, types.length === 0 ? [] : ['ALERT_FAILURE', 'ALERT_RECOVERY'], `round ${round}`);
    }
    for (const table of ['notified', 'check_states', 'heartbeats'])
      assert.equal(test.one(`SELECT count(*) FROM ${table}`), 1, `${table} of the one that is left`);
  });
});

describe('a group that is deleted while a check of it fails', () => {
  it('keeps the check, and channels notified through the group receive the recovery', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { checkGroups, alertChannels } = test.temp.store;
    const added = await checkGroups.add({
      group: aGroup(test.accountId),
      subscriptions: null,
      isAutoAssigned: false,
    });
    assert.ok('saved' in added);
    const groupId = added.saved.group.id;
    const checkId = await test.check({ groupId });
    const ofGroup = await test.channel(checkId);
    await alertChannels.change(test.accountId, ofGroup, ({ channel }) => ({
      channel,
      subscriptions: [{ checkId: null, groupId, activated: true }],
    }));
    await slot(test, 'failed');
    assert.equal(await checkGroups.remove(test.accountId, groupId), true);
    await slot(test, 'failed');
    const own = await test.channel(checkId);
    await slot(test, 'passed');
    await slot(test, 'failed');
    assert.deepEqual(sent(test), [`${ofGroup} ALERT_FAILURE`, `${ofGroup} ALERT_RECOVERY`, `${own} ALERT_FAILURE`]);
  });
});

describe('a channel that is deleted during an incident', () => {
  it('receives nothing more: pending deliveries are cancelled, attempts in progress are not retried, and its ID is not reused', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const [one, two] = [await test.check(), await test.check()];
    const channel = await test.channel(one);
    const subscription = { checkId: two, groupId: null, activated: true };
    await test.temp.store.alertChannels.subscribe(test.accountId, channel, subscription);
    await slot(test, 'failed');
    const [inProgress] = await test.claimDeliveries('one', () => 1);
    assert.ok(inProgress !== undefined);
    assert.equal(await test.temp.store.alertChannels.remove(test.accountId, channel), true);
    assert.equal(test.one('SELECT count(*) FROM notified'), 0);
    await test.settle(inProgress, 500);
    test.temp.clock.advance(60_000);
    assert.deepEqual(await test.claimDeliveries(), []);
    assert.deepEqual(
      test.rows('SELECT status, error FROM deliveries ORDER BY error').map(({ status, error }) => [status, error]),
      [
        [5, 'the alert channel was deleted'],
        [5, 'the alert channel was deleted'],
      ],
    );
    const next = await test.channel(one);
    assert.notEqual(next, channel);
    await slot(test, 'passed');
    await test.remove(two);
    assert.equal(
      test.one('SELECT count(*) FROM deliveries'),
      2,
      'a new channel does not receive a recovery without its failure',
    );
  });
});
