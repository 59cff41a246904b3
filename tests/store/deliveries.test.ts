// Deliveries by hand: listed, tried now, cancelled, replayed; and the notices and notifications that come of them.
import assert from 'node:assert/strict';
import { createAlertNotificationActions } from '#actions/alerts/alert-notifications.ts';
import { createDeliveryActions } from '#actions/alerts/deliveries.ts';
import { createRedactorOf } from '#actions/alerts/delivery-redactor.ts';
import { createNoticeActions } from '#actions/operating/notices.ts';
import { Refusal } from '#actions/refusal.ts';
import { channelRules } from '#channels/rules.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import { newId } from '#lib/id.ts';
import { idBytes, json } from '#store/base/codec.ts';
import { test } from '../support/store/each-engine.ts';
import type { RawRows } from '../support/store/raw-rows.ts';
import { insertRow, putAccount, putAlert, putChannel, putCheck, putDelivery } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';

const callerOf = (accountId: string, role: Caller['role'] = 'read-write'): Caller => ({
  principal: { kind: 'api-key', id: newId() },
  role,
  accountId,
  accountIds: [accountId],
});
const signal = new AbortController().signal;
const refusedWith = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;

function open({ store, clock }: TempStore) {
  let woken = 0;
  const redactorOf = createRedactorOf({
    rules: channelRules,
    channelOf: async (accountId, id) => (await store.alertChannels.find(accountId, id))?.channel ?? null,
    variablesOf: (accountId) => store.variables.all(accountId),
    groupVariablesOf: async () => [],
  });
  const wake = () => {
    woken++;
  };
  return {
    deliveries: createDeliveryActions({ ...store, redactorOf, wake }),
    notifications: createAlertNotificationActions({ ...store, ...channelRules, redactorOf, clock }),
    woken: () => woken,
  };
}

function putAttempt(raw: RawRows, accountId: string, deliveryId: string, position: number, status: number): void {
  insertRow(raw, 'attempts', {
    account_id: idBytes(accountId),
    delivery_id: idBytes(deliveryId),
    position,
    number: position,
    started_at: 1000 * position,
    duration_ms: 12,
    status,
    error_class: status > 399 ? 'status' : null,
    error_message: status > 399 ? `the receiver answered ${status}` : null,
    next_attempt_at: status > 399 ? 1000 * position + 20_012 : null,
    exchange: json({
      headers: [
        ['x-service-attempt', String(position)],
        ['authorization', 'Bearer very-secret-token'],
      ],
      response: { status, headers: { server: 'x' }, body: 'you said very-secret-token' },
    }),
  });
}

test('a delivery is shown with every attempt, values of locked variables hidden everywhere', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putChannel(temp.raw, accountId, 1);
  await temp.store.variables.add(accountId, { key: 'T', value: 'very-secret-token', locked: true, secret: false });
  const request = {
    method: 'POST',
    url: 'http://127.0.0.1:9/hook?t=very-secret-token',
    headers: [['authorization', 'Bearer very-secret-token']],
    body: '{"token":"very-secret-token","ok":1}',
  };
  const id = putDelivery(temp.raw, accountId, temp.clock.now(), {
    request,
    status: 'exhausted',
    error: 'very-secret-token refused',
  });
  putAttempt(temp.raw, accountId, id, 1, 500);
  putAttempt(temp.raw, accountId, id, 2, 204);
  const { deliveries } = open(temp);
  const { delivery, log } = await deliveries.find(callerOf(accountId), id);
  assert.deepEqual(
    log.map(({ number, response, error }) => [number, response?.status, error?.class]),
    [
      [1, 500, 'status'],
      [2, 204, undefined],
    ],
  );
  assert.ok(!JSON.stringify([delivery, log]).includes('very-secret'));
  assert.ok(delivery.request?.body.includes('"ok":1'));
  const page = { limit: 10, offset: 0 };
  assert.deepEqual((await deliveries.list(callerOf(accountId), {}, page)).rows, [{ delivery, log }]);
  const { rows } = await deliveries.list(callerOf(accountId, 'read-only'), {}, page);
  const headers = [['authorization', '********']];
  assert.deepEqual(
    rows[0]?.delivery.request,
    { ...delivery.request, headers },
    'it may be made of user info in the URL',
  );
});

test('headers of a channel that is gone are hidden, because nobody knows which were locked', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const id = putDelivery(temp.raw, accountId, temp.clock.now(), { status: 'exhausted', alertChannelId: 4 });
  putAttempt(temp.raw, accountId, id, 1, 500);
  const { log } = await open(temp).deliveries.find(callerOf(accountId), id);
  assert.deepEqual(log[0]?.headers, [
    ['x-service-attempt', '1'],
    ['authorization', '********'],
  ]);
});

test('hundreds of deliveries are listed newest first by channel, check, status and time', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const foreign = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId);
  const now = temp.clock.now();
  temp.raw.exec('BEGIN');
  for (let index = 0; index < 300; index++) {
    putDelivery(temp.raw, accountId, now + index, {
      alertChannelId: 1 + (index % 3),
      status: index % 2 === 0 ? 'delivered' : 'exhausted',
      ...(index % 5 === 0 && { checkId }),
    });
    putDelivery(temp.raw, foreign, now + index);
  }
  temp.raw.exec('COMMIT');
  const { deliveries } = open(temp);
  const found = async (filter: object) => {
    const ages: number[] = [];
    let count = 0;
    for (let offset = 0; offset <= count; offset += 100) {
      const { rows, total } = await deliveries.list(callerOf(accountId), filter, { limit: 100, offset });
      ages.push(...rows.map(({ delivery }) => delivery.createdAt - now));
      count = total;
    }
    assert.equal(count, ages.length);
    assert.deepEqual(
      ages,
      ages.toSorted((a, b) => b - a),
    );
    return ages.length;
  };
  assert.equal(await found({}), 300);
  assert.equal(await found({ alertChannelId: 2 }), 100);
  assert.equal(await found({ statuses: ['exhausted'] }), 150);
  assert.equal(await found({ checkId, statuses: ['exhausted'] }), 30);
  assert.equal(await found({ from: now + 100, to: now + 199 }), 100);
  assert.equal(await found({ alertChannelId: 99 }), 0);
});

test('a waiting delivery can be made due now, one that has ended cannot', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putChannel(temp.raw, accountId, 1);
  const now = temp.clock.now();
  const waiting = putDelivery(temp.raw, accountId, now, { nextAttemptAt: now + 20_000 });
  const ended = putDelivery(temp.raw, accountId, now, { status: 'delivered' });
  const { deliveries, woken } = open(temp);
  const { delivery } = await deliveries.retry(callerOf(accountId), waiting);
  assert.deepEqual([delivery.status, delivery.nextAttemptAt, woken()], ['pending', now, 1]);
  await assert.rejects(deliveries.retry(callerOf(accountId), ended), refusedWith('conflict'));
  await assert.rejects(deliveries.retry(callerOf(accountId), newId()), refusedWith('not-found'));
  await assert.rejects(deliveries.retry(callerOf(accountId, 'read-run'), waiting), refusedWith('forbidden'));
  await assert.rejects(deliveries.retry(callerOf(putAccount(temp.raw)), waiting), refusedWith('not-found'));
});

test('a retry does not change the lease of an attempt in progress', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putChannel(temp.raw, accountId, 1);
  const now = temp.clock.now();
  const id = putDelivery(temp.raw, accountId, now, { nextAttemptAt: now + 10_000, leasedBy: 'p1' });
  await open(temp).deliveries.retry(callerOf(accountId), id);
  const row = temp.raw.prepare('SELECT next_attempt_at AS at, leased_by AS owner FROM deliveries').get();
  assert.deepEqual({ ...row }, { at: now + 10_000, owner: 'p1' });
});

test('a waiting delivery is cancelled at once, one in progress after its attempt', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putChannel(temp.raw, accountId, 1);
  const now = temp.clock.now();
  const { deliveries } = open(temp);
  const waiting = putDelivery(temp.raw, accountId, now);
  const cancelled = await deliveries.cancel(callerOf(accountId), waiting, signal);
  assert.deepEqual([cancelled.delivery.status, cancelled.delivery.nextAttemptAt], ['cancelled', null]);
  await assert.rejects(deliveries.cancel(callerOf(accountId), waiting, signal), refusedWith('conflict'));

  const busy = putDelivery(temp.raw, accountId, now, { nextAttemptAt: now + 10_000, leasedBy: 'p1' });
  const answer = deliveries.cancel(callerOf(accountId), busy, signal);
  await assert.rejects(
    deliveries.cancel(callerOf(accountId), busy, AbortSignal.abort()),
    /An attempt of this delivery is in progress/,
  );
  temp.raw
    .prepare('UPDATE deliveries SET leased_by = NULL, next_attempt_at = ? WHERE leased_by IS NOT NULL')
    .run(now + 20_000);
  assert.equal((await answer).delivery.status, 'cancelled');
});

test('a replay is a new delivery of the same bytes that names the old one', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId);
  putChannel(temp.raw, accountId, 1);
  const before = temp.clock.now();
  const old = putDelivery(temp.raw, accountId, before, { status: 'exhausted', checkId, error: 'no response' });
  putAttempt(temp.raw, accountId, old, 1, 500);
  temp.clock.advance(5000);
  const { deliveries, woken } = open(temp);
  const { delivery, log } = await deliveries.replay(callerOf(accountId), old);
  const original = (await deliveries.find(callerOf(accountId), old)).delivery;
  assert.notEqual(delivery.id, old);
  assert.deepEqual(delivery, {
    ...original,
    id: delivery.id,
    status: 'pending',
    createdAt: before + 5000,
    nextAttemptAt: before + 5000,
    replayOf: old,
    error: null,
  });
  assert.deepEqual([log, woken()], [[], 1]);
});

test('what is pending, was never rendered or has lost its channel is not replayed', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putChannel(temp.raw, accountId, 1);
  const now = temp.clock.now();
  const { deliveries } = open(temp);
  for (const [inspect, words] of [
    [{}, /has not finished/],
    [{ status: 'failed', request: null }, /could not be rendered/],
    [{ status: 'delivered', alertChannelId: 9 }, /channel of this delivery was deleted/],
  ] as const) {
    const id = putDelivery(temp.raw, accountId, now, inspect);
    await assert.rejects(deliveries.replay(callerOf(accountId), id), words);
  }
});

test('all lost deliveries of a channel since an instant are replayed in order, and only once', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putChannel(temp.raw, accountId, 1);
  putChannel(temp.raw, accountId, 2);
  const start = temp.clock.now();
  const lost: string[] = [];
  for (let index = 0; index < 250; index++) {
    const status = (['exhausted', 'refused', 'failed'] as const)[index % 3] ?? 'exhausted';
    lost.push(putDelivery(temp.raw, accountId, start + index, { status }));
    putDelivery(temp.raw, accountId, start + index, { status: 'exhausted', alertChannelId: 2 });
    putDelivery(temp.raw, accountId, start + index, { status: 'delivered' });
  }
  // Nothing is stored that could be sent.
  const empty = putDelivery(temp.raw, accountId, start + 250, { status: 'failed' });
  temp.raw.prepare('DELETE FROM delivery_requests WHERE delivery_id = ?').run(idBytes(empty));
  temp.clock.advance(60_000);
  const { deliveries } = open(temp);
  const caller = callerOf(accountId);
  const atOnce = await Promise.all([1, 2, 3].map(() => deliveries.replayLost(caller, 1, start + 50)));
  assert.equal(
    atOnce.reduce((sum, count) => sum + count, 0),
    200,
    'calls at the same time share the work',
  );
  const replays = temp.raw.prepare('SELECT replay_of FROM deliveries WHERE replay_of IS NOT NULL ORDER BY id').all();
  assert.deepEqual(
    replays.map((row) => Buffer.from(row['replay_of'] as Uint8Array)),
    lost.slice(50).map((id) => Buffer.from(idBytes(id))),
  );
  assert.equal(await deliveries.replayLost(caller, 1, start + 50), 0);
  assert.equal(await deliveries.replayLost(caller, 1, start), 50);
  await assert.rejects(deliveries.replayLost(caller, 9, start), refusedWith('not-found'));
});

test('notifications tell of each delivery what the reference clients read', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  const checkId = putCheck(temp.raw, accountId);
  putChannel(temp.raw, accountId, 1);
  const now = temp.clock.now();
  const alertId = putAlert(temp.raw, accountId, checkId, now);
  const id = putDelivery(temp.raw, accountId, now, { status: 'exhausted', checkId, alertId });
  putAttempt(temp.raw, accountId, id, 1, 503);
  putDelivery(temp.raw, accountId, now - 25 * 3_600_000, { status: 'exhausted' });
  const { notifications } = open(temp);
  const page = { limit: 10, offset: 0 };
  const { rows, total } = await notifications.list(callerOf(accountId, 'read-only'), { hasFailures: true }, page);
  assert.equal(total, 1);
  assert.deepEqual(
    rows.map(({ delivery, ...rest }) => ({ id: delivery.id, ...rest })),
    [
      {
        id,
        channelType: 'WEBHOOK',
        alertConfig: { name: 'hook 1', url: 'http://127.0.0.1:9/hook', method: 'POST' },
        result: 'the receiver answered 503',
        checkType: 'API',
      },
    ],
  );
  const without = await notifications.list(callerOf(accountId), { hasFailures: false }, page);
  assert.deepEqual(without, { rows: [], total: 0 });
});

test('a failing channel is a notice of its own account; operators see those of the installation as well', async (newStore) => {
  await using temp = await newStore();
  const accountId = putAccount(temp.raw);
  putChannel(temp.raw, accountId, 1);
  putChannel(temp.raw, accountId, 2, 5000);
  const gap = { id: 'gap', kind: 'gap', since: 1, subject: 's', message: 'm', action: 'a' };
  const notices = createNoticeActions({
    missingVariables: { notices: async () => [] },
    silentCheckNotices: async () => [],
    stormNotices: async () => [],
    ...temp.store,
    runtimeEnds: async () => [],
    missingBrowsers: async () => [],
    ownFaultNotices: async () => [],
    silentLocations: async () => [],
    processNotices: () => [gap],
    brokenChannels: async () => [],
  });
  const [own, ...others] = await notices.list(callerOf(accountId, 'read-only'));
  assert.deepEqual([own?.id, own?.since, own?.subject], ['channel-failing:2', 5000, 'hook 2']);
  assert.deepEqual(others, []);
  assert.deepEqual(await notices.list(callerOf(accountId, 'operator')), [gap, own]);
  assert.deepEqual(await notices.list(callerOf(putAccount(temp.raw), 'operator')), [gap]);
});
