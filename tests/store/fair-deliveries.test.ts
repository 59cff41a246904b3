// Places of the sender are shared between accounts: channels of one that hang do not delay the alerts of another.
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { createSendDeliveries } from '#pipeline/send-deliveries.ts';
import type { Delivery, SendOutcome } from '#domain/deliveries/delivery.ts';
import { newId } from '#lib/id.ts';
import { it } from '../support/store/each-engine.ts';
import { aChannel } from '../support/store/records.ts';
import { putAccount } from '../support/store/rows.ts';
import { PathUnderTest, scannedFrom } from './path-under-test.ts';

const columns = `type, config, secrets, send_recovery, send_failure, send_degraded,
  ssl_expiry, ssl_expiry_threshold, auto_subscribe, grouping, exhausted_in_a_row, failing_since, created_at, updated_at`;

/** An account with so many channels; ids count up from 1. */
async function accountWith(test: PathUnderTest, channels: number): Promise<string> {
  const accountId = putAccount(test.temp.raw);
  await test.temp.store.alertChannels.add({ channel: aChannel(accountId), subscriptions: [] });
  test.temp.raw.exec(
    `INSERT INTO alert_channels (account_id, id, ${columns})
     WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${channels})
     SELECT account_id, n.i, ${columns} FROM n, alert_channels
     WHERE id = 1 AND ${channels} > 1 AND account_id = (SELECT account_id FROM alert_channels ORDER BY created_at DESC, account_id DESC LIMIT 1)`,
  );
  return accountId;
}

function waiting(test: PathUnderTest, accountId: string, alertChannelId: number): Promise<void> {
  const delivery: Delivery = {
    accountId,
    id: newId(),
    alertChannelId,
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
    isTest: false,
    error: null,
  };
  return test.path.addDelivery(delivery);
}

describe('places of the sender', () => {
  it('are never all taken by one account, however many of its channels hang', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const channels = 700;
    const hanging = await accountWith(test, channels);
    assert.equal(test.one('SELECT count(*) FROM alert_channels'), channels);
    // As many at once as there are connections to go round.
    for (let round = 0; round < (4 * channels) / 50; round++) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => waiting(test, hanging, 1 + ((round * 50 + index) % channels))),
      );
    }
    const inProgress = new Map<string, number>();
    const step = createSendDeliveries({
      store: test.path,
      clock: test.temp.clock,
      owner: 'one',
      isShared: () => false,
      render: () => assert.fail('every delivery is rendered when it is recorded'),
      send: ({ accountId }) => {
        inProgress.set(accountId, (inProgress.get(accountId) ?? 0) + 1);
        return new Promise<SendOutcome>(() => undefined);
      },
      wake: () => {},
      onError: (error) => assert.fail(String(error)),
    });
    for (let tick = 0; tick < 12; tick++) await step.tick();
    const taken = inProgress.get(hanging) ?? 0;
    assert.ok(taken >= 1200 && taken < 1900, `${taken} of 2000 places`);
    const other = await accountWith(test, 1);
    await waiting(test, other, 1);
    await step.tick();
    assert.equal(inProgress.get(other), 1);
    await step.stop(0);
  });

  it('are not looked for on behalf of an account that has its share: its channels are not walked', async (newStore) => {
    await using test = await PathUnderTest.open(newStore);
    const [full, other] = [await accountWith(test, 3), await accountWith(test, 3)];
    for (const accountId of [full, other]) {
      for (const channel of [1, 2, 3]) await waiting(test, accountId, channel);
    }
    const asked: string[] = [];
    const claim = async (without: ReadonlySet<string>) =>
      (
        await test.path.claimDeliveries({
          owner: 'one',
          now: test.now,
          leaseMs: 10_000,
          max: 100,
          isShared: false,
          scannedFrom,
          busy: () => [],
          without,
          room: (accountId) => {
            asked.push(accountId);
            return without.has(accountId) ? 0 : 4;
          },
        })
      ).claimed.map(({ delivery }) => delivery.accountId);
    assert.deepEqual(await claim(new Set([full])), [other, other, other]);
    assert.ok(asked.filter((accountId) => accountId === full).length <= 1, 'one channel of it at most');
    assert.deepEqual(await claim(new Set()), [full, full, full]);
  });
});
