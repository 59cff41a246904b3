// How much an account sends in an hour through services of the operator; what exceeds it waits and is not lost.
import assert from 'node:assert/strict';
import { hourOf, quotaEndsAt } from '#domain/alerts/sending-quota.ts';
import { newId } from '#lib/id.ts';
import { createSendDeliveries } from '#pipeline/send-deliveries.ts';
import { test } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';
import { failing, type PathUnderTest } from './path-under-test.ts';

const hour = 3_600_000;
const quota = 'telephone';

/** The step with a limit of two attempts per hour. */
function limited(path: PathUnderTest) {
  const sent: string[] = [];
  const deliveries = createSendDeliveries({
    store: path.path,
    clock: path.temp.clock,
    owner: 'one',
    isShared: () => false,
    render: () => assert.fail('every delivery is rendered when it is recorded'),
    admit: ({ accountId, id: deliveryId }) =>
      path.temp.store.sendingQuotas.take({ accountId, deliveryId, owner: 'one', quota, limit: 2, now: path.now }),
    send: ({ id }) => {
      sent.push(id);
      return Promise.resolve(path.outcome(200));
    },
    wake: () => {},
    onError: (error) => assert.fail(String(error)),
  });
  return { deliveries, sent };
}

test('deliveries beyond the limit wait for the next hour and are sent then', async (newStore) => {
  const { test: path } = await failing(newStore, 3);
  await using _ = path;
  const { deliveries, sent } = limited(path);
  await deliveries.tick();
  const next = quotaEndsAt(path.now);
  const waiting = () =>
    path.rows('SELECT attempts, next_attempt_at AS at, leased_by, error FROM deliveries WHERE status = 0');
  await until('two to be sent and one to wait', () => sent.length === 2 && waiting()[0]?.['at'] === next);
  await until('the two to be logged', () => waiting().length === 1);
  const error = `the account has reached its limit of 2 text messages and calls per hour; continues at ${new Date(next).toISOString()}`;
  assert.deepEqual(waiting(), [{ attempts: 0, at: next, leased_by: null, error }]);
  await deliveries.tick();
  assert.equal(deliveries.inProgress, 0, 'it is not due');
  path.temp.clock.advance(next - path.now);
  await deliveries.tick();
  await until('the third to be sent', () => sent.length === 3 && waiting().length === 0);
  await deliveries.stop(5000);
  assert.equal(new Set(sent).size, 3);
});

test('each account has its own limit for each hour, also after the clock was set back', async (newStore) => {
  const { test: path } = await failing(newStore, 1);
  await using _ = path;
  const { sendingQuotas } = path.temp.store;
  const other = newId();
  const take = (accountId: string, now: number) =>
    sendingQuotas.take({ accountId, deliveryId: newId(), owner: 'one', quota, limit: 2, now });
  const start = hourOf(path.now) * hour;
  const taken = async (accountId: string, now: number) => [
    await take(accountId, now),
    await take(accountId, now),
    await take(accountId, now),
  ];
  for (const now of [start, start + hour, start + 5 * hour, start]) {
    assert.deepEqual(await taken(path.accountId, now), [true, true, false]);
    assert.deepEqual(await taken(other, now), [true, true, false]);
  }
  assert.equal(await take(other, start + hour - 1), false, 'the hour lasts');
  const atOnce = await Promise.all(Array.from({ length: 12 }, () => take(other, start + hour)));
  assert.equal(atOnce.filter((isAdmitted) => isAdmitted).length, 2, 'attempts that begin together count one by one');
});

test('a reminder that is cancelled while it waits to be admitted is not sent in the next hour', async (newStore) => {
  const { test: path } = await failing(newStore, 1);
  await using _ = path;
  const { sendingQuotas } = path.temp.store;
  const [{ delivery } = assert.fail('it is due')] = await path.claimDeliveries('one');
  const cancelled = { status: 5, error: 'the incident was acknowledged' };
  path.temp.raw.exec(`UPDATE deliveries SET error = '${cancelled.error}'`);
  const claim = {
    accountId: path.accountId,
    deliveryId: delivery.id,
    owner: 'one',
    quota,
    limit: 1,
    now: path.now,
  } as const;
  assert.deepEqual([await sendingQuotas.take(claim), await sendingQuotas.take(claim)], [true, false]);
  assert.deepEqual(path.rows('SELECT status, error FROM deliveries'), [cancelled]);
});
