// Reminders that are still being retried when their check recovers.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { alertVariables } from '#domain/deliveries/delivery-variables.ts';
import type { DeliveryFacts, Prepared } from '#domain/results/recording.ts';
import { newId } from '#lib/id.ts';
import { idText } from '#store/base/codec.ts';
import type { ClaimedDelivery } from '#store/channels/delivery-rows.ts';
import { it, onSqlite } from '../support/store/each-engine.ts';
import { PathUnderTest } from './path-under-test.ts';

function prepare(facts: DeliveryFacts): Prepared {
  // What a user writes does not make a delivery a reminder.
  const extras = {
    url: '"IS_REMINDER":true',
    status: 500,
    statusText: '"IS_REMINDER":true',
    locationName: '',
    link: '',
  };
  return { content: { variables: alertVariables(facts, extras), groupId: null } };
}

/** One slot of every check, recorded with that outcome. */
async function slot(test: PathUnderTest, outcome: 'passed' | 'degraded' | 'failed'): Promise<void> {
  test.temp.clock.advance(10_000);
  await test.schedule();
  const rules = { reminders: { amount: 2, intervalMs: 10_000 } };
  const ended = (await test.claim()).map((claimed) => {
    const attempt = test.ended(claimed, outcome);
    return { ...attempt, rules: { ...attempt.rules, ...rules } };
  });
  await test.record(ended, 'one', prepare);
}

/** A failed check with its alert and a reminder, each of them tried once and waiting for its retry. */
async function reminded(
  test: PathUnderTest,
  outcome: 'degraded' | 'failed' = 'failed',
): Promise<{ checkId: string; reminder: ClaimedDelivery }> {
  const checkId = await test.check();
  await test.channel(checkId, { sendDegraded: true });
  await slot(test, outcome);
  const [alert] = await test.claimDeliveries();
  await test.settle(alert ?? assert.fail(), 500);
  await slot(test, outcome);
  const [reminder] = await test.claimDeliveries();
  return { checkId, reminder: reminder ?? assert.fail() };
}

const states = (test: PathUnderTest): unknown[] =>
  test.rows('SELECT alert_type AS type, status, error FROM deliveries ORDER BY id');
const alert = { type: 'ALERT_FAILURE', status: 0, error: 'answered 500' };
const cancelled = { type: 'ALERT_FAILURE', status: 5, error: 'the check recovered or changed state' };
const recovery = { type: 'ALERT_RECOVERY', status: 0, error: null };

describe('a reminder that is still being retried', () => {
  for (const how of ['passes', 'is deleted'] as const) {
    it(`is cancelled when its check ${how}; the alert itself is not`, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const { checkId, reminder } = await reminded(test);
      await test.settle(reminder, 500);
      if (how === 'passes') await slot(test, 'passed');
      else await test.remove(checkId, prepare);
      assert.deepEqual(states(test), [alert, cancelled, recovery]);
      test.temp.clock.advance(60_000);
      assert.equal((await test.claimDeliveries('two')).length, 1, 'the recovery waits for the alert');
    });
  }

  for (const how of ['passes', 'is deleted', 'is acknowledged'] as const) {
    it(`and was sent through another channel outside of active hours is cancelled when its check ${how}`, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const { checkId, reminder } = await reminded(test);
      const other = await test.channel(null);
      test.temp.raw.exec(`UPDATE notified SET routed_to = ${other}`);
      test.temp.raw.exec(
        `UPDATE deliveries SET alert_channel_id = ${other}, routed_from = 1 WHERE leased_by IS NOT NULL`,
      );
      await test.settle(reminder, 500);
      if (how === 'passes') await slot(test, 'passed');
      else if (how === 'is deleted') await test.remove(checkId, prepare);
      else {
        const id = idText(test.one('SELECT id FROM incidents') as Uint8Array);
        const by = { type: 'link', id: null, name: null } as const;
        await test.temp.store.incidents.acknowledge(test.accountId, id, by, test.now);
      }
      const error = how === 'is acknowledged' ? 'the incident was acknowledged' : cancelled.error;
      assert.deepEqual(states(test).slice(0, 2), [alert, { ...cancelled, error }]);
    });
  }

  for (const [status, end] of [
    [500, cancelled],
    [200, { type: 'ALERT_FAILURE', status: 1, error: null }],
  ] as const) {
    it(`is not tried again if its attempt in progress then ends with ${status}`, async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const { reminder } = await reminded(test);
      await test.path.renewDeliveries([reminder.delivery], { owner: 'one', now: test.now + 20_000, leaseMs: 10_000 });
      await slot(test, 'passed');
      assert.deepEqual(await test.settle(reminder, status), [true]);
      assert.deepEqual(states(test), [alert, end, recovery]);
      assert.equal(test.one('SELECT count(*) FROM deliveries WHERE status > 0 AND next_attempt_at IS NOT NULL'), 0);
    });
  }

  onSqlite(
    'is cancelled when its check goes from degraded to failing, and stays so when it recovers',
    async (newStore) => {
      await using test = await PathUnderTest.open(newStore);
      const { reminder } = await reminded(test, 'degraded');
      await test.settle(reminder, 500);
      await slot(test, 'failed');
      const opened = [
        { ...alert, type: 'ALERT_DEGRADED' },
        { ...cancelled, type: 'ALERT_DEGRADED' },
      ];
      const failure = { ...alert, error: null };
      assert.deepEqual(states(test), [...opened, failure]);
      await slot(test, 'passed');
      assert.deepEqual(states(test), [...opened, failure, recovery]);
    },
  );

  it('that was delivered is replayed all the same', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const { reminder } = await reminded(test);
    await test.settle(reminder, 200);
    const replayId = newId();
    assert.equal(await test.temp.store.deliveries.replay(test.accountId, reminder.delivery.id, replayId), 'done');
    await slot(test, 'passed');
    assert.deepEqual(states(test), [
      alert,
      { type: 'ALERT_FAILURE', status: 1, error: null },
      { type: 'ALERT_FAILURE', status: 0, error: null },
      recovery,
    ]);
  });
});
