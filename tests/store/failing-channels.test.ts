// Failing channels: to whom they are reported (docs/decisions/0026).
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { AlertChannel } from '#domain/alerts/alert-channel.ts';
import type { SendOutcome } from '#domain/deliveries/delivery.ts';
import { deliveryStatusCodes } from '#store/base/codes.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { aChannel } from '../support/store/records.ts';
import { failing, PathUnderTest } from './path-under-test.ts';

describe('a failing channel', () => {
  it('is reported to the channels of the same check, and its recovery to the same ones', async (newStore) => {
    const { test, channel } = await failing(newStore, 2);
    await using _ = test;
    await test.temp.store.variables.add(test.accountId, { key: 'HOOK', value: 'x', locked: false, secret: false });
    await test.temp.store.variables.add(test.accountId, { key: 'TOKEN', value: 'y', locked: false, secret: true });
    test.temp.raw.exec('UPDATE deliveries SET attempts = 5');
    const claimed = await test.claimDeliveries('one', () => 100);
    const [lost, received] = claimed;
    assert.ok(lost !== undefined && received !== undefined);
    const addChannel = async (name: string, checkId: string | null, more: Partial<AlertChannel> = {}) => {
      const config = { name, url: `http://127.0.0.1:9/${name}` };
      const added = await test.temp.store.alertChannels.add({
        channel: aChannel(test.accountId, { config, ...more }),
        subscriptions: checkId === null ? [] : [{ checkId, groupId: null, activated: true }],
      });
      assert.ok('saved' in added);
      return added.saved.channel.id;
    };
    await addChannel('of-no-check', null);
    const notified = [await addChannel('one', lost.delivery.checkId), await addChannel('two', lost.delivery.checkId)];
    await addChannel('without-failures', lost.delivery.checkId, { sendFailure: false });
    await addChannel('broken', lost.delivery.checkId, { config: { name: 'broken', url: 'cannot be rendered' } });
    await test.settle(lost, 503);
    await test.report();
    await test.report();
    const messages = (type: string): unknown[] =>
      test.rows(
        `SELECT alert_channel_id AS id, request FROM deliveries JOIN delivery_requests ON delivery_id = id
         WHERE alert_channel_id <> ${channel} AND alert_type = '${type}' ORDER BY alert_channel_id`,
      );
    const message = (index: number, name: string, body: string) => ({
      id: notified[index],
      request: JSON.stringify({ method: 'POST', url: `http://127.0.0.1:9/${name}`, headers: [], body }),
    });
    const check = await test.temp.store.checks.find(test.accountId, lost.delivery.checkId ?? '');
    const failed =
      'ALERT_FAILURE|Alert channel "Hook" does not receive alerts|The last alert could not be delivered: answered 503. ' +
      `It was for the check "${check?.check.name}".|x|`;
    assert.deepEqual(messages('ALERT_FAILURE'), [message(0, 'one', failed), message(1, 'two', failed)]);
    await test.settle(received, 204);
    await test.report();
    await test.report();
    const well = 'ALERT_RECOVERY|Alert channel "Hook" receives alerts again||x|';
    assert.deepEqual(messages('ALERT_RECOVERY'), [message(0, 'one', well), message(1, 'two', well)]);
    assert.deepEqual(
      test.reports.map(({ kind, notified: count }) => [kind, count]),
      [
        ['failing', 2],
        ['receiving', 2],
      ],
    );
  });

  onSqlite(
    'whose check has no other channel that can send is reported to the working channels of the account',
    async (newStore) => {
      const { test, channel } = await failing(newStore, 1);
      await using _ = test;
      const others = [await test.channel(null), await test.channel(null)];
      test.temp.raw.exec('UPDATE deliveries SET attempts = 5');
      test.temp.raw.exec(`UPDATE alert_channels SET failing_since = 1, exhausted_in_a_row = 1 WHERE id = ${others[0]}`);
      const claimed = await test.claimDeliveries('one', () => 100);
      // The other channel of the check cannot send.
      const config = { name: 'broken', url: 'cannot be rendered' };
      await test.channel(claimed[0]?.delivery.checkId ?? null, { config });
      for (const one of claimed) await test.settle(one, 503);
      await test.report();
      const notified = test.rows(`SELECT alert_channel_id AS id FROM deliveries WHERE alert_channel_id <> ${channel}`);
      assert.deepEqual(notified, [{ id: others[1] }]);
    },
  );

  onSqlite('that loses a report is failing, and is not reported itself', async (newStore) => {
    const { test, channel } = await failing(newStore, 1);
    await using _ = test;
    const other = await test.channel(null);
    const third = await test.channel(null);
    const lose = async (): Promise<void> => {
      test.temp.raw.exec('UPDATE deliveries SET attempts = 5');
      for (const one of await test.claimDeliveries('one', () => 100)) await test.settle(one, 503);
      await test.report();
    };
    await lose();
    test.temp.raw.exec(`DELETE FROM deliveries WHERE alert_channel_id = ${third}`);
    await lose();
    const since = 'SELECT id FROM alert_channels WHERE failing_since IS NOT NULL ORDER BY id';
    assert.deepEqual(test.rows(since), [{ id: channel }, { id: other }]);
    assert.equal(test.one(`SELECT count(*) FROM deliveries WHERE alert_channel_id = ${third}`), 0);
  });

  onSqlite(
    'that has lost what is not about a check is reported when it loses its first alert, once',
    async (newStore) => {
      const { test, channel } = await failing(newStore, 3);
      await using _ = test;
      await test.channel(null);
      const [report, ...alerts] = test.rows('SELECT id FROM deliveries ORDER BY id').map(({ id }) => id as Uint8Array);
      test.temp.raw.prepare('UPDATE deliveries SET check_id = NULL, attempts = 5 WHERE id = ?').run(report ?? null);
      const kept = 'UPDATE deliveries SET attempts = 5, next_attempt_at = ? WHERE id = ?';
      for (const [index, id] of alerts.entries()) test.temp.raw.prepare(kept).run(test.now + (index + 1) * 60_000, id);
      const lose = async (): Promise<unknown> => {
        const claimed = (await test.claimDeliveries('one', () => 100)).filter(
          ({ delivery }) => delivery.alertChannelId === channel,
        );
        assert.equal(claimed.length, 1);
        for (const one of claimed) await test.settle(one, 503);
        await test.report();
        test.temp.clock.advance(60_000);
        return test.one(`SELECT count(*) FROM deliveries WHERE alert_channel_id <> ${channel}`);
      };
      assert.deepEqual([await lose(), await lose(), await lose()], [0, 1, 1]);
    },
  );

  it('whose alert could not be rendered is reported with the reason, if it contains no secrets', async (newStore) => {
    for (const [reason, shown] of [
      ['Email is not set up', 'Email is not set up'],
      [undefined, 'the message could not be rendered; the log of deliveries has the error'],
    ] as const) {
      const { test, channel } = await failing(newStore, 1);
      await using _ = test;
      const other = await test.channel(null);
      const [one] = await test.claimDeliveries();
      assert.ok(one !== undefined);
      const { accountId, id } = one.delivery;
      const rendered = { error: 'secret', ...(reason !== undefined && { reason }) };
      // Its lease has ended: another process will render it.
      await test.path.saveRendered([{ accountId, id, rendered }], { owner: 'other', now: test.now });
      assert.equal(test.one(`SELECT failing_since FROM alert_channels WHERE id = ${channel}`), null);
      await test.path.saveRendered([{ accountId, id, rendered }], { owner: 'one', now: test.now });
      const [report] = await test.temp.store.failingChannels.unreported(1);
      assert.deepEqual([report?.alertChannelId, report?.reason, report?.since], [channel, shown, test.now]);
      await test.report();
      assert.equal(test.one(`SELECT count(*) FROM deliveries WHERE alert_channel_id = ${other}`), 1);
    }
  });

  it('fails with every delivery that nobody received, and is reported for alerts of any kind', async (newStore) => {
    const purposes: readonly (readonly [purpose: string, columns: string, reports: number])[] = [
      ['alert', 'attempts = 0', 1],
      ['grouped notification', 'check_id = NULL, is_digest = 1', 1],
      ['report', 'check_id = NULL, alert_type = NULL', 0],
      ['test', 'is_test = 1', 0],
      ['notice', 'check_id = NULL', 0],
    ];
    const refused = { response: null, error: { class: 'egress-refused', message: '10.0.0.1 is a private address' } };
    for (const [purpose, columns, reports] of purposes) {
      const { test, channel } = await failing(newStore, 1);
      await using _ = test;
      const other = await test.channel(null);
      test.temp.raw.exec(`UPDATE deliveries SET ${columns}`);
      const [one] = await test.claimDeliveries();
      assert.ok(one !== undefined);
      await test.settle(one, 0, 'one', refused as Partial<SendOutcome>);
      assert.equal(test.one('SELECT status FROM deliveries'), deliveryStatusCodes.encode('refused'));
      const [found] = await test.temp.store.failingChannels.list(test.accountId);
      assert.deepEqual(
        [found?.alertChannelId, found?.exhaustedInARow, found?.reason],
        [channel, 1, '10.0.0.1 is a private address'],
        purpose,
      );
      await test.report();
      assert.equal(test.one(`SELECT count(*) FROM deliveries WHERE alert_channel_id = ${other}`), reports, purpose);
      // A received test ends it.
      test.temp.raw.exec(`DELETE FROM deliveries WHERE alert_channel_id = ${other}`);
      test.temp.raw.exec(`UPDATE deliveries SET status = 0, is_test = 1, next_attempt_at = ${test.now}`);
      const [again] = await test.claimDeliveries();
      assert.ok(again !== undefined);
      await test.settle(again, 200);
      assert.deepEqual(await test.temp.store.failingChannels.list(test.accountId), []);
      await test.report();
      assert.equal(test.one(`SELECT count(*) FROM deliveries WHERE alert_channel_id = ${other}`), reports, purpose);
    }
  });

  onSqlite('is reported after six failed attempts, also if its alert is still retried for hours', async (newStore) => {
    const { test, channel } = await failing(newStore, 1);
    await using _ = test;
    await test.channel(null);
    test.temp.raw.exec('UPDATE deliveries SET attempts = 5');
    const [one] = await test.claimDeliveries();
    assert.ok(one !== undefined);
    const delay = { response: { status: 503, headers: { 'retry-after': '3600' }, body: '' } };
    await test.settle(one, 503, 'one', delay);
    assert.equal(test.one('SELECT status FROM deliveries'), deliveryStatusCodes.encode('pending'));
    await test.report();
    assert.deepEqual(test.reports, [{ kind: 'failing', alertChannelId: channel, reason: 'answered 503', notified: 1 }]);
    test.temp.clock.advance(3_601_000);
    const [last] = (await test.claimDeliveries()).filter(({ delivery }) => delivery.alertChannelId === channel);
    assert.ok(last !== undefined);
    await test.settle(last, 503);
    const [found] = await test.temp.store.failingChannels.list(test.accountId);
    assert.equal(found?.exhaustedInARow, 1);
  });

  onSqlite('without a name is reported by its type and host', async (newStore) => {
    const { test, channel } = await failing(newStore, 1);
    await using _ = test;
    test.temp.raw
      .prepare('UPDATE alert_channels SET config = ? WHERE id = ?')
      .run('{"name":"","url":"https://hooks.example.com/secret"}', channel);
    const [one] = await test.claimDeliveries();
    assert.ok(one !== undefined);
    const error = { class: 'rejected', message: 'no' } as const;
    await test.settle(one, 0, 'one', { response: null, error });
    const [report] = await test.temp.store.failingChannels.unreported(1);
    const name = `webhook hooks.example.com (channel ${channel})`;
    assert.deepEqual(
      [report?.name, (await test.temp.store.failingChannels.list(test.accountId))[0]?.name],
      [name, name],
    );
  });

  it('that is deleted is reported as recovered to the notified channels that still exist', async (newStore) => {
    const { test, channel } = await failing(newStore, 1);
    await using _ = test;
    const others = [await test.channel(null), await test.channel(null)];
    const { alertChannels } = test.temp.store;
    test.temp.raw.exec('UPDATE deliveries SET attempts = 5');
    for (const one of await test.claimDeliveries('one', () => 100)) await test.settle(one, 503);
    await test.report();
    const unconfirmed = await test.channel(null);
    await alertChannels.remove(test.accountId, others[1] ?? 0);
    await alertChannels.remove(test.accountId, channel);
    const recovered = test.rows(
      `SELECT alert_channel_id AS id, status, content FROM deliveries JOIN delivery_contents ON delivery_id = id
       WHERE alert_type = 'ALERT_RECOVERY'`,
    );
    assert.deepEqual(
      recovered.map(({ id, status }) => [id, status]),
      [[others[0], 0]],
      `not ${unconfirmed}`,
    );
    const { variables } = JSON.parse(String(recovered[0]?.['content']));
    assert.deepEqual(
      [variables.ALERT_TYPE, variables.CHECK_ID, variables.ALERT_TITLE, variables.CHECK_ERROR_MESSAGE],
      [
        'ALERT_RECOVERY',
        `alert-channel-${test.accountId}-${channel}`,
        'Alert channel "Hook" has been deleted',
        undefined,
      ],
    );
    test.temp.raw.exec('UPDATE deliveries SET status = 1 WHERE check_id IS NOT NULL');
    const claimed = await test.claimDeliveries('two');
    const notified = claimed.filter(({ delivery }) => delivery.alertType === 'ALERT_RECOVERY');
    assert.deepEqual(await test.path.readContents(notified.map(({ delivery }) => delivery)), [
      { variables, timeZone: null },
    ]);
  });

  it('is one of ten that are reported at a time, however many of an account fail at once', async (newStore) => {
    const test = await PathUnderTest.open(newStore);
    await using _ = test;
    await test.channel(null);
    for (let count = 0; count < 12; count++) await test.channel(null);
    test.temp.raw.exec('UPDATE alert_channels SET failing_since = 1, failing_news = 1 WHERE id > 1');
    await test.report();
    assert.equal(test.one('SELECT count(*) FROM deliveries'), 10);
    assert.equal(test.one('SELECT count(*) FROM alert_channels WHERE failing_news IS NOT NULL'), 0);
  });
});
