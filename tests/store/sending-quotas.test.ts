// How much an account sends in an hour through services of the operator; what exceeds it waits and is not lost.
import assert from 'node:assert/strict';
import { quotaNotice } from '#actions/operating/notices.ts';
import { hourOf, quotaEndsAt } from '#domain/deliveries/sending-quota.ts';
import { newId } from '#lib/id.ts';
import { createAdmitDeliveries } from '#pipeline/parts/admit-deliveries.ts';
import { createSendDeliveries } from '#pipeline/send-deliveries.ts';
import { test } from '../support/store/each-engine.ts';
import { until } from '../support/until.ts';
import { idText } from '#store/base/codec.ts';
import { failing, type PathUnderTest } from './path-under-test.ts';

const hour = 3_600_000;
const quota = 'telephone';

/** The step with a limit of attempts per hour. */
function limited(path: PathUnderTest, limit = 2) {
  const sent: string[] = [];
  const expired: string[] = [];
  const deliveries = createSendDeliveries({
    store: path.path,
    clock: path.temp.clock,
    owner: 'one',
    isShared: () => false,
    render: () => assert.fail('every delivery is rendered when it is recorded'),
    admit: createAdmitDeliveries({
      ...path.temp.store.sendingQuotas,
      quotaOf: () => quota,
      limits: { telephone: limit, email: 0, status: limit },
      onExpired: ({ id }, reason) => expired.push(`${id} ${reason}`),
      clock: path.temp.clock,
      owner: 'one',
    }),
    send: ({ id }) => {
      sent.push(id);
      return Promise.resolve(path.outcome(200));
    },
    wake: () => {},
    onError: (error) => assert.fail(String(error)),
  });
  return { deliveries, sent, expired };
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
  const error = `the account has reached its limit of 2 SMS messages and calls per hour; continues at ${new Date(next).toISOString()}`;
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
  const take = async (accountId: string, now: number) =>
    (await sendingQuotas.take({ accountId, deliveryId: newId(), owner: 'one', quota, limit: 2, now })) === 'admitted';
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

test('subscribers of status pages may use all of their limit, and nothing of that of alerts', async (newStore) => {
  const { test: path } = await failing(newStore, 1);
  await using _ = path;
  const { sendingQuotas } = path.temp.store;
  const claim = { accountId: path.accountId, deliveryId: newId(), owner: 'one', limit: 4, now: path.now } as const;
  const answers = [];
  for (let n = 0; n < 5; n++) answers.push(await sendingQuotas.take({ ...claim, quota: 'status' }));
  assert.deepEqual(answers, ['admitted', 'admitted', 'admitted', 'admitted', 'waits']);
  assert.equal(await sendingQuotas.take({ ...claim, quota: 'email' }), 'admitted');
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
  assert.deepEqual([await sendingQuotas.take(claim), await sendingQuotas.take(claim)], ['admitted', 'waits']);
  assert.deepEqual(path.rows('SELECT status, error FROM deliveries'), [cancelled]);
});

test('a delivery that has waited for a day ends as exhausted, and its channel is failing', async (newStore) => {
  const { test: path } = await failing(newStore, 2);
  await using _ = path;
  const { deliveries, sent, expired } = limited(path, 1);
  const { clock, store } = path.temp;
  const waiting = () => path.rows('SELECT leased_by FROM deliveries WHERE status = 0');
  const isIdle = () => deliveries.inProgress === 0 && waiting().every(({ leased_by: by }) => by === null);
  await deliveries.tick();
  await until('one to be sent and one to wait', () => sent.length === 1 && waiting().length === 1 && isIdle());
  for (let hours = 1; hours <= 24; hours++) {
    assert.deepEqual(expired, [], `after ${hours - 1} hours`);
    clock.advance(quotaEndsAt(path.now) - path.now);
    // Another process uses the quota of every hour.
    path.temp.raw.exec(`UPDATE counters SET last = ${hourOf(path.now) * 1_000_000 + 1} WHERE noun = 'sent-telephone'`);
    await deliveries.tick();
    await until('the decision', isIdle);
  }
  const reason = 'not sent within 24 hours: the account kept reaching its limit of 1 SMS messages and calls per hour';
  const [ended = assert.fail('it ends')] = path.rows(
    'SELECT status, attempts, next_attempt_at, error FROM deliveries WHERE error IS NOT NULL',
  );
  assert.deepEqual(ended, { status: 2, attempts: 0, next_attempt_at: null, error: reason });
  assert.equal(expired.length, 1);
  assert.ok(expired[0]?.endsWith(reason), expired[0]);
  assert.equal(sent.length, 1);
  const [channel] = await store.failingChannels.list(path.accountId);
  assert.deepEqual([channel?.exhaustedInARow, channel?.failingSince, channel?.reason], [1, path.now, reason]);
  const [report] = await store.failingChannels.unreported(1);
  assert.deepEqual([report?.kind, report?.reason, report?.deliveryId], ['failing', reason, expired[0]?.split(' ')[0]]);
  await deliveries.stop(5000);
});

test('new failures are served first: recoveries and reminders leave a quarter of the limit, and wait a moment longer', async (newStore) => {
  const { test: path } = await failing(newStore, 1);
  await using _ = path;
  const { sendingQuotas } = path.temp.store;
  const [failure] = path.rows('SELECT id FROM deliveries');
  path.temp.clock.advance(10_000);
  await path.runAll('passed');
  const rows = path.rows('SELECT id, alert_type FROM deliveries ORDER BY id');
  const idOf = (row: Record<string, unknown> | undefined): string => idText(row?.['id'] as Uint8Array);
  const [news, recovery] = [idOf(failure), idOf(rows[1])];
  const take = (deliveryId: string) =>
    sendingQuotas.take({ accountId: path.accountId, deliveryId, owner: 'one', quota, limit: 4, now: path.now });
  await path.claimDeliveries();
  const answers = [await take(recovery), await take(recovery), await take(recovery), await take(recovery)];
  assert.deepEqual(answers, ['admitted', 'admitted', 'admitted', 'waits']);
  assert.deepEqual([await take(news), await take(news)], ['admitted', 'waits']);
  const next = quotaEndsAt(path.now);
  assert.equal(path.one("SELECT next_attempt_at FROM deliveries WHERE alert_type = 'ALERT_FAILURE'"), next);
  path.temp.raw.exec('UPDATE alerts SET is_counted = 0');
  path.temp.clock.advance(next - path.now);
  for (let sent = 0; sent < 3; sent++) assert.equal(await take(news), 'admitted');
  assert.equal(await take(news), 'waits', 'a reminder');
});

test('a wait of five minutes for a quota is listed by channel, until it is over', async (newStore) => {
  const { test: path } = await failing(newStore, 3);
  await using _ = path;
  const { sendingQuotas } = path.temp.store;
  const ids = path.rows('SELECT id FROM deliveries ORDER BY id').map(({ id }) => idText(id as Uint8Array));
  path.temp.clock.advance(1000);
  await path.claimDeliveries();
  for (const deliveryId of ids) {
    await sendingQuotas.take({ accountId: path.accountId, deliveryId, owner: 'one', quota, limit: 1, now: path.now });
  }
  const since = path.now;
  assert.deepEqual(await sendingQuotas.waiting(path.accountId), [], 'too short');
  path.temp.clock.advance(300_000);
  const waits = await sendingQuotas.waiting(path.accountId);
  assert.equal(
    waits.reduce((sum, { deliveries }) => sum + deliveries, 0),
    2,
  );
  assert.deepEqual(new Set(waits.map((wait) => wait.since)), new Set([since]));
  assert.match(
    waits[0]?.reason ?? '',
    /^the account has reached its limit of 1 SMS messages and calls per hour; continues at /,
  );
  const [notice] = waits.map(quotaNotice);
  assert.match(notice?.message ?? '', /^\d messages? to the channel ".+" waits?: the account has /);
  assert.deepEqual(await sendingQuotas.waiting(newId()), []);
  path.temp.clock.advance(hour);
  assert.deepEqual(await sendingQuotas.waiting(path.accountId), [], 'it is due');
});
