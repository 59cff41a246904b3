// The setting for digests, and digests in the list of deliveries.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertSettings } from '#contract/alerts/alert-settings.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { newDigest } from '#store/channels/storm-rows.ts';
import { putChannel } from '../support/store/rows.ts';
import { openServer } from './server-on-store.ts';

test('the threshold for digests is a setting of accounts alone, from 0 to 1000', async () => {
  await using on = await openServer();
  const put = (url: string, payload: object) => on.server.inject({ method: 'PUT', url, headers: on.as(), payload });
  const own = `/v1/accounts/${on.accountId}`;
  for (const digestThreshold of [-1, 1001, 1.5, '20']) {
    const { statusCode, body } = await put(own, { alertSettings: { digestThreshold } });
    assert.equal(statusCode, 400);
    assert.match(body, /alertSettings\.digestThreshold/);
  }
  for (const digestThreshold of [0, 1000]) {
    const saved = await put(own, { alertSettings: { digestThreshold } });
    assert.deepEqual(
      [saved.statusCode, saved.json<{ alertSettings: object }>().alertSettings],
      [200, { digestThreshold }],
    );
  }
  const reset = await put(own, { alertSettings: { digestThreshold: null } });
  assert.deepEqual(reset.json<{ alertSettings: object }>().alertSettings, {});
  assert.equal(alertSettings.safeParse({ digestThreshold: 5 }).success, false, 'of checks and groups');
});

test('a digest and its alerts name each other, and only its alerts are listed by its ID', async () => {
  await using on = await openServer();
  putChannel(on.raw, on.accountId, 7);
  const due = newDigest({ accountId: on.accountId, id: newId(), alertChannelId: 7 }, Date.now());
  const digest = { ...due, status: 'collecting', nextAttemptAt: Date.now() + 60_000 } as const;
  const { isDigest: _, ...alert } = { ...due, nextAttemptAt: null };
  const member = { ...alert, id: newId(), status: 'digested', digestId: digest.id } as const;
  const other = { ...alert, id: newId(), status: 'cancelled' } as const;
  for (const delivery of [digest, member, other]) await on.store.path.addDelivery(delivery);
  const get = async (url: string) => on.server.inject({ url, headers: on.as() });
  const list = async (query: string) =>
    (await get(`/v1/deliveries?${query}`)).json<{ id: string; digestId?: string; digestStatus?: string }[]>();
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  assert.deepEqual(ids(await list(`digestId=${digest.id}`)), [member.id]);
  assert.deepEqual(ids(await list('status=collecting')), [digest.id]);
  const [shown] = await list('status=digested');
  assert.deepEqual([shown?.digestId, shown?.digestStatus], [digest.id, 'collecting']);
  assert.equal((await get(`/v1/deliveries/${digest.id}`)).json<{ isDigest: unknown }>().isDigest, true);
  assert.equal('isDigest' in (await get(`/v1/deliveries/${member.id}`)).json<object>(), false);
  assert.equal((await get('/v1/deliveries?digestId=1')).statusCode, 400);
  const act = (verb: string, id: string) =>
    on.server.inject({ method: 'POST', url: `/v1/deliveries/${id}/${verb}`, headers: on.as() });
  const refused = await act('cancel', digest.id);
  assert.equal(refused.statusCode, 409);
  assert.match(refused.body, /still collects alerts/);
  assert.equal((await act('replay', digest.id)).statusCode, 409);
  assert.equal((await act('retry', member.id)).statusCode, 409);
  const sooner = await act('retry', digest.id);
  assert.ok(Date.parse(sooner.json<{ nextAttemptAt: string }>().nextAttemptAt) <= Date.now());
});

test('a storm is a notice while it lasts', async () => {
  await using on = await openServer();
  const notices = async () => {
    const { body } = await on.server.inject({ url: '/v1/notices', headers: on.as() });
    return (JSON.parse(body) as { kind: string; since: string }[]).filter(({ kind }) => kind === 'alert-storm');
  };
  assert.deepEqual(await notices(), []);
  const at = Date.UTC(2026, 2, 10, 3, 44);
  on.raw
    .prepare('INSERT INTO alert_storms (account_id, started_at, is_current, channels) VALUES (?, ?, 1, ?)')
    .run(idBytes(on.accountId), at, '{}');
  assert.deepEqual(
    (await notices()).map(({ since }) => since),
    [new Date(at).toISOString()],
  );
});
