// Keys, results, statuses, alerts, deliveries, notices and locations over HTTP, on a real store.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextSlot } from '#domain/checks/schedule.ts';
import { newId } from '#lib/id.ts';
import { idBytes, json } from '#store/base/codec.ts';
import {
  countChange,
  insertRow,
  putAccount,
  putAlert,
  putChannel,
  putCheck,
  putDelivery,
  putResult,
} from '../support/store/rows.ts';
import { openServer, type ServerOnStore } from './server-on-store.ts';

const get = (on: ServerOnStore, url: string, key?: string) => on.server.inject({ url, headers: on.as(key) });
const post = (on: ServerOnStore, url: string, body?: object, key?: string) =>
  on.server.inject({ method: 'POST', url, headers: on.as(key), ...(body && { body }) });

test('an API key is shown once, listed without itself, and dead when it is revoked', async () => {
  await using on = await openServer();
  const made = await post(on, '/v1/api-keys', { name: 'CI', role: 'read-run' });
  const { key, ...shown } = made.json<{ key: string; id: string; prefix: string; accountIds: string[] }>();
  assert.equal(made.statusCode, 201);
  assert.match(key, /^tsn_[\w-]{43}$/);
  assert.deepEqual([shown.prefix, shown.accountIds], [key.slice(0, 12), [on.accountId]]);
  assert.deepEqual((await get(on, `/v1/api-keys/${shown.id}`)).json(), shown);
  const list = await get(on, '/v1/api-keys?limit=1&page=2');
  assert.deepEqual([list.json(), list.headers['content-range']], [[shown], '1-1/2']);
  assert.ok(!(await get(on, '/v1/api-keys')).body.includes(key));
  assert.equal((await get(on, '/v1/accounts', key)).statusCode, 200);
  const revoked = await on.server.inject({ method: 'DELETE', url: `/v1/api-keys/${shown.id}`, headers: on.as() });
  assert.equal(revoked.statusCode, 204);
  assert.equal((await get(on, '/v1/accounts', key)).statusCode, 401);
  assert.equal((await get(on, `/v1/api-keys/${shown.id}`)).statusCode, 404);
  assert.equal((await get(on, '/v1/api-keys/nonsense')).statusCode, 400);
});

test('a key with a wrong role, foreign account or past expiry is refused by the name of the field', async () => {
  await using on = await openServer();
  const good = { name: 'CI', role: 'read-run' };
  for (const [body, status, field] of [
    [{ ...good, role: 'owner' }, 400, 'role'],
    [{ ...good, name: '' }, 400, 'name'],
    [{ ...good, expiresAt: '2020-01-01T00:00:00Z' }, 400, 'expiresAt'],
    [{ ...good, accountIds: [] }, 400, 'accountIds'],
    [{ ...good, extra: 1 }, 400, 'extra'],
    [{ ...good, accountIds: [newId()] }, 403, null],
  ] as const) {
    const answer = await post(on, '/v1/api-keys', body);
    assert.equal(answer.statusCode, status, JSON.stringify(body));
    if (field !== null) assert.ok(field in answer.json<{ attributes: object }>().attributes, field);
  }
});

test('results are paged with a content range, and show what is missing as well as what failed', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId, { name: 'shop' });
  const start = on.clock.now() - 3_600_000;
  for (let index = 0; index < 230; index++) putResult(on.raw, on.accountId, checkId, start + index * 10_000);
  const missedAt = start + 5_000_000;
  const missed = putResult(on.raw, on.accountId, checkId, missedAt, {
    outcome: 'missed',
    reason: 'downtime',
    message: 'not run: Tocsin was not running',
    slots: 7,
    responseUs: null,
  });
  const page = await get(on, `/v1/check-results/${checkId}?limit=100&page=3`);
  assert.deepEqual([page.statusCode, page.headers['content-range']], [200, '200-230/231']);
  for (const outcome of ['missed', 'degraded']) {
    const only = await get(on, `/v1/check-results/${checkId}?outcome=${outcome}`);
    assert.match(String(only.headers['content-range']), outcome === 'missed' ? /\/1$/ : /\/0$/);
  }
  const [newest] = (await get(on, `/v1/check-results/${checkId}?limit=1`)).json<object[]>();
  assert.deepEqual(newest, {
    id: missed,
    name: 'shop',
    checkId,
    checkType: 'API',
    outcome: 'missed',
    reason: 'downtime',
    message: 'not run: Tocsin was not running',
    hasFailures: false,
    hasErrors: true,
    isDegraded: false,
    isCancelled: false,
    overMaxResponseTime: false,
    runLocation: 'local',
    runSource: 'SCHEDULER',
    startedAt: new Date(missedAt).toISOString(),
    stoppedAt: new Date(missedAt + 40).toISOString(),
    created_at: new Date(missedAt + 40).toISOString(),
    responseTime: 0,
    checkRunId: missed,
    attempts: 1,
    slots: 7,
    resultType: 'FINAL',
    apiCheckResult: null,
  });
  assert.deepEqual((await get(on, `/v1/check-results/${checkId}/${missed}`)).json(), newest);
  const unix = Math.floor(missedAt / 1000);
  assert.equal((await get(on, `/v1/check-results/${checkId}?from=${unix}`)).json<object[]>().length, 1);
  const walked = (await get(on, `/v2/check-results/${checkId}?limit=2`)).json<{ length: number; nextId: string }>();
  const next = await get(on, `/v2/check-results/${checkId}?limit=2&nextId=${walked.nextId}`);
  assert.deepEqual([walked.length, next.statusCode, next.json<{ length: number }>().length], [2, 200, 2]);
});

test('bad ids and filters of results are 400, unknown ids 404', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId);
  const foreign = putCheck(on.raw, putAccount(on.raw));
  for (const [url, status] of [
    ['/v1/check-results/nonsense', 400],
    [`/v1/check-results/${newId()}`, 404],
    [`/v1/check-results/${foreign}`, 404],
    [`/v1/check-results/${checkId}/nonsense`, 400],
    [`/v1/check-results/${checkId}/${newId()}`, 404],
    [`/v1/check-results/${checkId}?limit=101`, 400],
    [`/v1/check-results/${checkId}?from=yesterday`, 400],
    [`/v1/check-results/${checkId}?hasFailures=maybe`, 400],
    [`/v1/check-results/${checkId}?outcome=broken`, 400],
    [`/v1/check-results/${checkId}?resultType=LAST`, 400],
    [`/v2/check-results/${checkId}?nextId=nonsense`, 400],
    [`/v1/check-statuses/${foreign}`, 404],
    ['/v1/check-statuses/1', 400],
    [`/v1/check-alerts/${foreign}`, 404],
    [`/v1/deliveries/${newId()}`, 404],
    ['/v1/deliveries/1', 400],
    ['/v1/deliveries?status=vanished', 400],
    ['/v1/deliveries?alertChannelId=x', 400],
  ] as const) {
    assert.equal((await get(on, url)).statusCode, status, url);
  }
});

test('the page of a result opens by its link without a key, and by no other', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId, { name: '<b>shop</b>' });
  const resultId = putResult(on.raw, on.accountId, checkId, on.clock.now(), {
    outcome: 'failed',
    reason: 'status',
    message: 'expected a status below 400, got 500',
    details: [500, '127.0.0.1', 1000, 200, 0, 3000, 400, 100, 20],
  });
  insertRow(on.raw, 'exchanges', {
    account_id: idBytes(on.accountId),
    check_id: idBytes(checkId),
    result_id: idBytes(resultId),
    exchange: json({
      request: { method: 'GET', url: 'http://127.0.0.1/', headers: { accept: '*/*' }, params: {}, data: '' },
      response: {
        status: 500,
        statusText: 'Internal Server Error',
        headers: { server: 'x', 'set-cookie': ['a=1', 'b=2'] },
        body: 'out of order',
        truncated: false,
        timings: null,
        timingPhases: { wait: 0, dns: 1, tcp: 0.2, tls: 0, firstByte: 3, download: 0.4, total: 4.6 },
      },
    }),
  });
  const link = on.links.link(on.accountId, checkId, resultId, on.clock.now()).replace('http://tocsin.test', '');
  const page = await on.server.inject({ url: link });
  assert.equal(page.statusCode, 200);
  assert.match(String(page.headers['content-type']), /^text\/html/);
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/);
  for (const words of ['&lt;b&gt;shop', 'Expected a status below 400, got 500'])
    assert.ok(page.body.includes(words), words);
  const wrong = await on.server.inject({ url: link.slice(0, -3) });
  assert.equal(wrong.statusCode, 404);
  assert.match(String(wrong.headers['content-type']), /^text\/html/);
  const { apiCheckResult } = (await get(on, `/v1/check-results/${checkId}/${resultId}`)).json<{
    apiCheckResult: { response: { body: string } };
  }>();
  assert.equal(apiCheckResult.response.body, 'out of order');
  on.clock.advance(31 * 86_400_000);
  assert.equal((await on.server.inject({ url: link })).statusCode, 404);
});

test('statuses and alerts are shown as the reference clients read them', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId, { name: 'shop' });
  const now = on.clock.now();
  const alertId = putAlert(on.raw, on.accountId, checkId, now);
  const statuses = await get(on, '/v1/check-statuses');
  assert.deepEqual(statuses.json(), [
    {
      name: 'shop',
      checkId,
      state: 'pending',
      since: '1970-01-01T00:00:00.001Z',
      reason: null,
      nextRunAt: new Date(nextSlot(now + 1, 60_000, 0)).toISOString(),
      hasFailures: false,
      hasErrors: false,
      isDegraded: false,
      longestRun: null,
      shortestRun: null,
      lastRunLocation: null,
      lastCheckRunId: null,
      sslDaysRemaining: null,
      incidentId: null,
      acknowledgedAt: null,
      acknowledgedBy: null,
      suppressedBy: null,
      flappingSince: null,
      created_at: '1970-01-01T00:00:00.001Z',
      updated_at: null,
    },
  ]);
  assert.deepEqual((await get(on, `/v1/check-statuses/${checkId}`)).json(), statuses.json<object[]>()[0]);
  on.raw.prepare('UPDATE checks SET name = ? WHERE account_id = ?').run('"shop" ✓', idBytes(on.accountId));
  countChange(on.raw, on.accountId);
  const [renamed] = (await get(on, '/v1/check-statuses')).json<{ name: string }[]>();
  assert.equal(renamed?.name, '"shop" ✓');
  const [alert] = (await get(on, '/v1/check-alerts')).json<Record<string, unknown>[]>();
  assert.deepEqual(alert, {
    id: alertId,
    name: 'Front page',
    checkId,
    alertType: 'ALERT_FAILURE',
    checkType: 'API',
    runLocation: 'local',
    responseTime: 12,
    error: 'expected status below 400, got 500',
    statusCode: '500',
    created_at: new Date(now).toISOString(),
    startedAt: new Date(now - 250).toISOString(),
    incidentId: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    suppressedBy: null,
  });
  const ofCheck = await get(on, `/v1/check-alerts/${checkId}?from=${Math.floor(now / 1000)}`);
  assert.deepEqual([ofCheck.json(), ofCheck.headers['content-range']], [[alert], '0-0/1']);
});

test('of hundreds of statuses each change is shown, wherever in the list it is', async () => {
  await using on = await openServer();
  const checkIds = Array.from({ length: 600 }, (_, at) =>
    putCheck(on.raw, on.accountId, { name: `check ${at}`, createdAt: at }),
  );
  const names = checkIds.map((_, at) => `check ${at}`);
  const shown = async (): Promise<string[]> => {
    const statuses = (await get(on, '/v1/check-statuses')).json<{ name: string }[]>();
    return statuses.map(({ name }) => name);
  };
  assert.deepEqual(await shown(), names);
  for (const at of [599, 0, 300]) {
    names[at] = `renamed ${at}`;
    on.raw.prepare('UPDATE checks SET name = ? WHERE id = ?').run(names[at], idBytes(checkIds[at] ?? ''));
    countChange(on.raw, on.accountId);
    assert.deepEqual(await shown(), names);
    assert.deepEqual(await shown(), names);
  }
  on.raw.prepare('DELETE FROM checks WHERE id = ?').run(idBytes(checkIds[599] ?? ''));
  countChange(on.raw, on.accountId);
  assert.deepEqual(await shown(), names.slice(0, -1));
});

test('a delivery is listed without bodies, read with them, retried, cancelled and replayed', async () => {
  await using on = await openServer();
  putChannel(on.raw, on.accountId, 1);
  const now = on.clock.now();
  const done = putDelivery(on.raw, on.accountId, now, { status: 'exhausted' });
  insertRow(on.raw, 'attempts', {
    account_id: idBytes(on.accountId),
    delivery_id: idBytes(done),
    position: 1,
    number: 1,
    started_at: now,
    duration_ms: 12,
    status: 500,
    error_class: 'status',
    error_message: 'the receiver answered 500',
    next_attempt_at: null,
    exchange: json({
      headers: [
        ['x-a', 'b'],
        ['x-list', '1'],
        ['x-list', '2'],
      ],
      response: { status: 500, headers: { server: 'x' }, body: 'sorry' },
    }),
  });
  const attempt = {
    number: 1,
    startedAt: new Date(now).toISOString(),
    durationMs: 12,
    request: { method: 'POST', url: 'http://127.0.0.1:9/hook', headers: { 'x-a': 'b', 'x-list': ['1', '2'] } },
    response: { status: 500, headers: { server: 'x' } },
    error: { class: 'status', message: 'the receiver answered 500' },
  };
  const shown = {
    id: done,
    alertChannelId: 1,
    checkId: null,
    checkResultId: null,
    alertType: 'ALERT_FAILURE',
    status: 'exhausted',
    isTest: false,
    createdAt: new Date(now).toISOString(),
  };
  const list = await get(on, '/v1/deliveries?status=exhausted&alertChannelId=1');
  assert.deepEqual([list.json(), list.headers['content-range']], [[{ ...shown, attempts: [attempt] }], '0-0/1']);
  assert.deepEqual((await get(on, `/v1/deliveries/${done}`)).json(), {
    ...shown,
    attempts: [
      {
        ...attempt,
        request: { ...attempt.request, body: '{"a":1}' },
        response: { ...attempt.response, body: 'sorry' },
      },
    ],
  });
  assert.equal((await post(on, `/v1/deliveries/${done}/retry`)).statusCode, 409);
  const replay = await post(on, `/v1/deliveries/${done}/replay`);
  const { id, status, replayOf } = replay.json<{ id: string; status: string; replayOf: string }>();
  assert.deepEqual([replay.statusCode, status, replayOf], [201, 'pending', done]);
  assert.equal((await post(on, `/v1/deliveries/${id}/replay`)).statusCode, 409);
  assert.equal((await post(on, `/v1/deliveries/${id}/retry`)).json<{ status: string }>().status, 'pending');
  assert.equal((await post(on, `/v1/deliveries/${id}/cancel`)).json<{ status: string }>().status, 'cancelled');
  assert.equal((await post(on, `/v1/deliveries/${id}/cancel`)).statusCode, 409);
  putDelivery(on.raw, on.accountId, now + 5, { status: 'exhausted' });
  const all = await post(on, '/v1/alert-channels/1/replay', { since: new Date(now).toISOString() });
  assert.deepEqual([all.statusCode, all.json()], [202, { count: 1 }]);
  assert.equal((await post(on, '/v1/alert-channels/9/replay', { since: new Date(now).toISOString() })).statusCode, 404);
  assert.equal((await post(on, '/v1/alert-channels/1/replay', { since: 'then' })).statusCode, 400);
});

test('an attempt that a redirect answered says that it counts as delivered and was not followed', async () => {
  await using on = await openServer();
  putChannel(on.raw, on.accountId, 1);
  const now = on.clock.now();
  const notes: unknown[] = [];
  for (const status of [200, 302, 308, 404]) {
    const id = putDelivery(on.raw, on.accountId, now, { status: status > 399 ? 'exhausted' : 'delivered' });
    insertRow(on.raw, 'attempts', {
      account_id: idBytes(on.accountId),
      delivery_id: idBytes(id),
      position: 1,
      number: 1,
      started_at: now,
      duration_ms: 12,
      status,
      error_class: status > 399 ? 'status' : null,
      error_message: status > 399 ? 'the receiver answered 404' : null,
      next_attempt_at: null,
      exchange: json({ headers: [], response: { status, headers: {}, body: '' } }),
    });
    const { attempts } = (await get(on, `/v1/deliveries/${id}`)).json<{ attempts: { note?: string }[] }>();
    notes.push(/answered (\d+). Redirects are not followed/.exec(attempts[0]?.note ?? '')?.[1]);
  }
  assert.deepEqual(notes, [undefined, '302', '308', undefined]);
});

test('notifications, notices and locations are lists', async () => {
  await using on = await openServer();
  putChannel(on.raw, on.accountId, 4, 5000);
  const now = on.clock.now();
  const id = putDelivery(on.raw, on.accountId, now, { alertChannelId: 4, status: 'exhausted', error: 'no response' });
  assert.deepEqual((await get(on, '/v1/alert-notifications?hasFailures=true')).json(), [
    {
      id,
      type: 'WEBHOOK',
      status: 'exhausted',
      alertConfig: { name: 'hook 4', url: 'http://127.0.0.1:9/hook', method: 'POST' },
      notificationResult: 'no response',
      timestamp: new Date(now).toISOString(),
      checkType: null,
      checkId: null,
      checkAlertId: null,
      alertChannelId: 4,
      checkResultId: null,
    },
  ]);
  const [notice] = (await get(on, '/v1/notices')).json<Record<string, unknown>[]>();
  assert.deepEqual([notice?.['kind'], notice?.['since']], ['channel-failing', '1970-01-01T00:00:05.000Z']);
  assert.deepEqual((await get(on, '/v1/locations')).json(), [{ region: 'local', name: 'Local', silentSince: null }]);
});
