// The three specified operations against every sort of caller (spec §4, §5; decisions: Accounts, keys, errors).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '#lib/id.ts';
import { putCheck, putGroup } from '../support/store/rows.ts';
import { openServer, type ServerOnStore } from './server-on-store.ts';

const operations = [
  { method: 'GET', url: '/v1/runtimes', status: 200 },
  { method: 'GET', url: '/v1/accounts', status: 200 },
  { method: 'POST', url: '/v1/triggers/check-groups/1', status: 201 },
] as const;

const call = (on: ServerOnStore, { method, url }: { method: 'GET' | 'POST'; url: string }, headers: object) =>
  on.server.inject({ method, url, headers: { ...headers } });

/** A server whose first account has a group 1 with a check. */
async function openWithGroup(): Promise<ServerOnStore> {
  const on = await openServer();
  putGroup(on.raw, on.accountId, 1);
  putCheck(on.raw, on.accountId, { groupId: 1 });
  return on;
}

async function makeAccount(on: ServerOnStore, body: object): Promise<string> {
  const made = await on.server.inject({ method: 'POST', url: '/v1/accounts', headers: on.as(), body });
  assert.equal(made.statusCode, 201, made.body);
  return made.json<{ id: string }>().id;
}

async function makeKey(on: ServerOnStore, body: object): Promise<string> {
  const made = await on.server.inject({ method: 'POST', url: '/v1/api-keys', headers: on.as(), body });
  assert.equal(made.statusCode, 201, made.body);
  return made.json<{ key: string }>().key;
}

const runsIn = ({ raw }: ServerOnStore) => Number(raw.prepare('SELECT count(*) AS n FROM runs').get()?.['n']);

for (const operation of operations) {
  const name = `${operation.method} ${operation.url}`;

  test(`${name}: without a good key it is 401 with a challenge, and nothing starts`, async () => {
    await using on = await openWithGroup();
    const expired = await makeKey(on, {
      name: 'x',
      role: 'admin',
      expiresAt: new Date(on.clock.now() + 1).toISOString(),
    });
    on.clock.advance(1);
    for (const authorization of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      on.key,
      `Basic ${on.key}`,
      `Bearer ${on.key} more`,
      'Bearer tsn_',
      `Bearer tsn_${'x'.repeat(43)}`,
      `Bearer ${on.key.slice(0, -1)}`,
      `Bearer ${on.key}A`,
      `Bearer ${on.key.toUpperCase()}`,
      `Bearer ${expired}`,
    ]) {
      const { statusCode, headers, body } = await call(
        on,
        operation,
        authorization === undefined ? {} : { authorization },
      );
      assert.equal(statusCode, 401, `${authorization}`);
      assert.equal(headers['www-authenticate'], 'Bearer');
      const { message, ...rest } = JSON.parse(body) as Record<string, unknown>;
      assert.deepEqual(rest, { statusCode: 401, error: 'Unauthorized' });
      assert.equal(typeof message, 'string');
      assert.ok(!body.includes(on.key));
    }
    assert.equal(runsIn(on), 0);
  });

  test(`${name}: the scheme and the header names are read in any case`, async () => {
    await using on = await openWithGroup();
    for (const headers of [
      { Authorization: `Bearer ${on.key}` },
      { authorization: `bearer ${on.key}` },
      { AUTHORIZATION: `BEARER ${on.key}`, 'X-Service-Account': on.accountId },
      { authorization: `Bearer   ${on.key}`, 'x-service-account': on.accountId.toUpperCase() },
      { authorization: `Bearer ${on.key}`, 'x-checkly-account': on.accountId },
    ]) {
      assert.equal((await call(on, operation, headers)).statusCode, operation.status ?? 200);
    }
  });

  test(`${name}: two accounts behind one key are reached, a third is 403, existing or not`, async () => {
    await using on = await openWithGroup();
    const second = await makeAccount(on, { name: 'Second' });
    const third = await makeAccount(on, { name: 'Third' });
    putGroup(on.raw, second, 1);
    const key = await makeKey(on, { name: 'two', role: 'read-run', accountIds: [on.accountId, second] });
    const before = runsIn(on);
    for (const account of [on.accountId, second, undefined]) {
      assert.equal((await call(on, operation, on.as(key, account))).statusCode, operation.status ?? 200);
    }
    const answers = [];
    for (const account of [third, newId(), 'nonsense', `${on.accountId} `.repeat(2)]) {
      const { statusCode, body } = await call(on, operation, on.as(key, account));
      assert.equal(statusCode, 403);
      answers.push(body);
    }
    assert.equal(new Set(answers).size, 1, 'the same answer whether that account exists or not');
    assert.equal(runsIn(on), operation.method === 'POST' ? before + 2 : before);
  });

  test(`${name}: a body is ignored, an empty one accepted, whatever its content type`, async () => {
    await using on = await openWithGroup();
    for (const type of ['application/json', 'application/xml', 'nonsense', 'application/x-www-form-urlencoded']) {
      for (const payload of ['', '{"broken"', 'x']) {
        const headers = { ...on.as(), 'content-type': type };
        const { method, url } = operation;
        const answer = await on.server.inject({ method, url, headers, payload });
        assert.equal(answer.statusCode, operation.status ?? 200, `${type} ${payload}`);
      }
    }
  });
}

test('runtimes and accounts are listed whole, with optional fields absent and never null', async () => {
  await using on = await openServer();
  const second = await makeAccount(on, {
    name: 'Größe ✓',
    executionLimit: 5,
    settings: { a: 1 },
    timeZone: 'Asia/Tokyo',
  });
  const accounts = await on.server.inject({ url: '/v1/accounts', headers: on.as() });
  assert.deepEqual(accounts.json(), [
    { id: on.accountId, name: 'Default' },
    { id: second, name: 'Größe ✓', settings: { a: 1 }, executionLimit: 5, timeZone: 'Asia/Tokyo' },
  ]);
  assert.equal(accounts.headers['content-range'], undefined);
  for (const timeZone of ['Mars/Olympus', '+01:00', '']) {
    const body = { timeZone };
    const refused = await on.server.inject({ method: 'PUT', url: '/v1/accounts/me', headers: on.as(), body });
    assert.equal(refused.statusCode, 400, timeZone);
    assert.match(refused.body, /timeZone must be an IANA time zone, such as Europe\/Berlin/);
  }
  const runtimes = await on.server.inject({ url: '/v1/runtimes', headers: on.as() });
  assert.deepEqual(runtimes.json(), [
    {
      name: '2026.10',
      multiStepSupport: false,
      nodeJsVersion: 'v24.21.0',
      dependencies: { axios: '1.13.4' },
      stage: 'CURRENT',
    },
  ]);
});

test('a limit of 5 and a group of 6 is 402 with the figures, and none starts', async () => {
  await using on = await openServer();
  putGroup(on.raw, on.accountId, 1);
  for (let index = 0; index < 6; index++) putCheck(on.raw, on.accountId, { groupId: 1 });
  const changed = await on.server.inject({
    method: 'PUT',
    url: '/v1/accounts/me',
    headers: on.as(),
    body: { executionLimit: 5 },
  });
  assert.equal(changed.statusCode, 200);
  const refused = await on.server.inject({ method: 'POST', url: '/v1/triggers/check-groups/1', headers: on.as() });
  assert.equal(refused.statusCode, 402);
  const { error, attributes } = refused.json<{ error: string; attributes: object }>();
  assert.deepEqual([error, attributes], ['Payment Required', { limit: 5, used: 0, wanted: 6 }]);
  assert.equal(runsIn(on), 0);
  const usage = await on.server.inject({ url: '/v1/accounts/me/usage', headers: on.as() });
  assert.deepEqual(usage.json(), {
    from: '2026-03-01T00:00:00.000Z',
    to: '2026-04-01T00:00:00.000Z',
    used: 0,
    limit: 5,
  });
});

test('a trigger has the shape of the specification: days, and nothing that is null', async () => {
  await using on = await openWithGroup();
  const url = '/v1/triggers/check-groups/1';
  const made = await on.server.inject({ method: 'POST', url, headers: on.as() });
  assert.equal(made.statusCode, 201);
  const { token, ...rest } = made.json<{ token: string }>();
  assert.match(token, /^[\w-]{22,}$/);
  assert.deepEqual(rest, { id: 1, created_at: '2026-03-10', called_at: '2026-03-10', groupId: 1 });
  assert.deepEqual((await on.server.inject({ url, headers: on.as() })).json(), made.json());
  assert.equal((await on.server.inject({ method: 'DELETE', url, headers: on.as() })).statusCode, 204);
  assert.equal((await on.server.inject({ url, headers: on.as() })).statusCode, 404);
  assert.equal((await on.server.inject({ method: 'DELETE', url, headers: on.as() })).statusCode, 404);
});

test('a group id that is no positive integer is 400, one that is not there 404', async () => {
  await using on = await openWithGroup();
  const foreign = await makeAccount(on, { name: 'Foreign' });
  putGroup(on.raw, foreign, 2);
  for (const [id, status] of [
    ['0', 400],
    ['-1', 400],
    ['1.5', 400],
    ['one', 400],
    ['1e3', 400],
    ['%20', 400],
    ['2', 404],
    ['99', 404],
    ['99999999999999999999', 404],
  ] as const) {
    for (const method of ['POST', 'GET', 'DELETE'] as const) {
      const answer = await on.server.inject({ method, url: `/v1/triggers/check-groups/${id}`, headers: on.as() });
      assert.equal(answer.statusCode, status, `${method} ${id}`);
      assert.equal(answer.json<{ statusCode: number }>().statusCode, status);
    }
  }
});

test('a key that may only read cannot start a group', async () => {
  await using on = await openWithGroup();
  const key = await makeKey(on, { name: 'reader', role: 'read-only' });
  const answer = await on.server.inject({ method: 'POST', url: '/v1/triggers/check-groups/1', headers: on.as(key) });
  assert.deepEqual([answer.statusCode, runsIn(on)], [403, 0]);
  assert.equal((await on.server.inject({ url: '/v1/accounts', headers: on.as(key) })).statusCode, 200);
});

test('a repeat with the same idempotency key gets the same answer and starts nothing', async () => {
  await using on = await openWithGroup();
  const post = (key: string) =>
    on.server.inject({
      method: 'POST',
      url: '/v1/triggers/check-groups/1',
      headers: { ...on.as(), 'Idempotency-Key': key },
    });
  const first = await post('deploy 42');
  on.clock.advance(13 * 3_600_000);
  const second = await post('deploy 42');
  assert.deepEqual([second.statusCode, second.body, runsIn(on)], [201, first.body, 1]);
  assert.notEqual((await post('deploy 43')).body, first.body);
  assert.equal(runsIn(on), 2);
  assert.equal((await post('x'.repeat(256))).statusCode, 400);
});
