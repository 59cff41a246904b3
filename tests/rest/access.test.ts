// Who may do what: keys, accounts, roles and the rate limit.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAddressLimit } from '#rest/address-limit.ts';
import { countedAddress, createRateLimit } from '#rest/rate-limit.ts';
import type { MetricsAccess } from '#rest/operating/health.ts';
import { foreignId, keys, ownId, restUnderTest, secondId } from './rest-under-test.ts';

const { server } = restUnderTest();

function get(url: string, headers: Record<string, string>) {
  return server.inject({ url, headers });
}

for (const url of ['/v1/runtimes', '/v1/accounts']) {
  for (const authorization of [
    '',
    'tsn_admin',
    'Basic dHNuX2FkbWlu',
    'Bearer',
    'Bearer ',
    'Bearer tsn_a b',
    'Bearer tsn_none',
  ]) {
    test(`${url} with the Authorization header "${authorization}" is a 401 with a challenge`, async () => {
      const answer = await get(url, { authorization });
      assert.equal(answer.statusCode, 401);
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
      assert.deepEqual(Object.keys(answer.json()), ['statusCode', 'error', 'message']);
    });
  }

  test(`${url} without an Authorization header is a 401`, async () => {
    assert.equal((await server.inject({ url })).statusCode, 401);
  });

  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    test(`${url} accepts the scheme written ${scheme}`, async () => {
      assert.equal((await get(url, { authorization: `${scheme} tsn_reader` })).statusCode, 200);
    });
  }

  test(`${url} on an account that the key does not reach is a 403, whether it exists or not`, async () => {
    const answers = [];
    for (const account of [foreignId, '0199f0c4-0000-7000-8000-00000000ffff', 'nonsense']) {
      const answer = await get(url, { authorization: 'Bearer tsn_admin', 'X-Service-Account': account });
      assert.equal(answer.statusCode, 403);
      answers.push(answer.body);
    }
    assert.equal(new Set(answers).size, 1);
  });
}

test('the accounts behind a key are all listed, whichever of them is named', async () => {
  for (const account of [ownId, secondId, secondId.toUpperCase()]) {
    const answer = await get('/v1/accounts', { authorization: 'Bearer tsn_admin', 'x-service-account': account });
    assert.deepEqual(answer.json(), [
      { id: ownId, name: 'Account 1' },
      { id: secondId, name: 'Account 2' },
    ]);
  }
});

test('a request acts on the account that is named, else on the first of the key', async () => {
  const authorization = 'Bearer tsn_admin';
  assert.equal((await get('/v1/accounts/me', { authorization })).json().id, ownId);
  const named = { authorization, 'x-service-account': secondId };
  assert.equal((await get('/v1/accounts/me', named)).json().id, secondId);
  const alias = { authorization, 'X-Checkly-Account': secondId };
  assert.equal((await get('/v1/accounts/me', alias)).json().id, secondId);
});

test('a role may do what it holds and nothing more', async () => {
  const payload = { key: 'ROLE', value: '1' };
  const post = (key: string, url: string, body: object) =>
    server.inject({ method: 'POST', url, headers: { authorization: `Bearer ${key}` }, payload: body });
  const refused = await post('tsn_reader', '/v1/variables', payload);
  assert.equal(refused.statusCode, 403);
  assert.match(refused.json().message, /read-only/);
  assert.equal((await post('tsn_writer', '/v1/variables', payload)).statusCode, 201);
  assert.equal((await post('tsn_writer', '/v1/accounts', { name: 'New' })).statusCode, 403);
  const refusedAdmin = await post('tsn_admin', '/v1/accounts', { name: 'New' });
  assert.equal(refusedAdmin.statusCode, 403);
  assert.match(refusedAdmin.json().message, /role admin, which does not allow it to operate .* role operator/);
  assert.equal((await post('tsn_operator', '/v1/accounts', { name: 'New' })).statusCode, 201);
});

test('a caller without a key learns nothing from a broken body', async () => {
  const answer = await server.inject({ method: 'POST', url: '/v1/variables', payload: '{"broken' });
  assert.equal(answer.statusCode, 401);
});

test('health needs no key', async () => {
  assert.deepEqual((await get('/health/live', {})).json(), { status: 'ok' });
  assert.deepEqual((await get('/health/ready', {})).json(), { status: 'ok' });
  assert.match((await get('/metrics', {})).body, /^up 1/);
});

test('metrics ask for their token, and say which setting is missing', async () => {
  const token = 'm'.repeat(32);
  const ask = async (metricsAccess: MetricsAccess, authorization = '') => {
    const { server: one } = restUnderTest({ metricsAccess });
    const { statusCode, body, headers } = await one.inject({ url: '/metrics', headers: { authorization } });
    return [statusCode, headers['www-authenticate'] ?? '', body.startsWith('up 1') || body] as const;
  };
  const asking = { token, port: null, isClosed: false };
  assert.deepEqual(await ask(asking, `Bearer ${token}`), [200, '', true]);
  for (const wrong of ['', token, `Bearer ${token}x`, 'Bearer', `Basic ${token}`]) {
    const [status, challenge, body] = await ask(asking, wrong);
    assert.deepEqual([status, challenge], [401, 'Bearer'], wrong);
    assert.match(String(body), /TOCSIN_METRICS_TOKEN/);
  }
  const closed = await ask({ token: null, port: null, isClosed: true });
  assert.deepEqual([closed[0], /Set TOCSIN_METRICS_TOKEN or TOCSIN_METRICS_PORT/.test(String(closed[2]))], [401, true]);
  const elsewhere = await ask({ token, port: 9464, isClosed: false }, `Bearer ${token}`);
  assert.deepEqual([elsewhere[0], /port 9464 \(TOCSIN_METRICS_PORT\)/.test(String(elsewhere[2]))], [404, true]);
});

test('a key is limited to a number of requests per minute and sees how many remain', async () => {
  let now = 1_000_000;
  const { server } = restUnderTest({ rateLimit: 2, now: () => now });
  const ask = (key: string) => server.inject({ url: '/v1/runtimes', headers: { authorization: `Bearer ${key}` } });
  const first = await ask('tsn_admin');
  assert.equal(first.headers['x-ratelimit-limit'], '2');
  assert.equal(first.headers['x-ratelimit-remaining'], '1');
  assert.equal(first.headers['x-ratelimit-reset'], '1060');
  assert.equal((await ask('tsn_admin')).statusCode, 200);
  now += 20_000;
  const third = await ask('tsn_admin');
  assert.equal(third.statusCode, 429);
  assert.equal(third.headers['retry-after'], '40');
  assert.equal(third.json().error, 'Too Many Requests');
  assert.equal((await ask('tsn_reader')).statusCode, 200, 'another key has its own allowance');
  now += 40_000;
  assert.equal((await ask('tsn_admin')).statusCode, 200);
});

test('the keys of an account share an allowance, and another account has its own', async () => {
  const { server: one } = restUnderTest({ accountRateLimit: 3, now: () => 1_000_000 });
  const ask = (key: string, account: string) =>
    one.inject({ url: '/v1/runtimes', headers: { authorization: `Bearer ${key}`, 'x-service-account': account } });
  for (const key of ['tsn_admin', 'tsn_reader', 'tsn_operator']) assert.equal((await ask(key, ownId)).statusCode, 200);
  const refused = await ask('tsn_writer', ownId);
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [429, '60']);
  assert.match(refused.json().message, /^Rate limit exceeded: at most 3 requests per minute for an account/);
  assert.equal((await ask('tsn_operator', secondId)).statusCode, 200);
});

test('an address that sends many invalid keys gets 429, while valid keys work from it', async () => {
  const { server: one } = restUnderTest({ rateLimit: 3, now: () => 1_000_000 });
  const ask = async (authorization: string, remoteAddress = '192.0.2.7') =>
    (await one.inject({ url: '/v1/runtimes', headers: { authorization }, remoteAddress })).statusCode;
  for (const bad of ['', 'Bearer tsn_none', 'Basic x']) assert.equal(await ask(bad), 401);
  assert.equal(await ask('Bearer tsn_other'), 429);
  assert.equal(await ask('Bearer tsn_admin'), 200);
  assert.equal(await ask('Bearer tsn_other', '192.0.2.8'), 401);
  assert.equal(countedAddress('2001:db8:0:1:2:3:4:5'), countedAddress('2001:db8:0:1::9%eth0'));
  assert.notEqual(countedAddress('2001:db8::1'), countedAddress('2001:db9::1'));
  assert.equal(countedAddress('2001:db8::1'), countedAddress('2001:0DB8:0:0:ffff::1'));
  assert.equal(countedAddress('::ffff:192.0.2.7'), '::ffff:192.0.2.7');
  for (const [one, other] of [
    ['::ffff:c000:207', '::ffff:c000:208'],
    ['64:ff9b::c000:207', '64:ff9b::c000:208'],
  ] as const) {
    assert.notEqual(countedAddress(one), countedAddress(other), 'all of IPv4 is not one client');
  }
});

test('an address gets ten times the rate limit of pages without sign-in, while pings, health and keys are answered', async () => {
  let now = 1_000_000;
  const { server: one } = restUnderTest({ rateLimit: 2, now: () => now });
  const ask = async (url: string, remoteAddress = '192.0.2.7', headers = {}) =>
    (await one.inject({ url, remoteAddress, headers })).statusCode;
  const paths = ['/metrics', '/sign-in', '/assets/unknown.js', '/v1/unknown'];
  for (let index = 0; index < 20; index++) assert.notEqual(await ask(paths[index % 4] ?? ''), 429);
  for (const path of paths) assert.equal(await ask(path), 429, path);
  assert.equal(await ask('/health/live'), 200);
  assert.equal(await ask('/v1/runtimes', '192.0.2.7', { authorization: 'Bearer tsn_reader' }), 200);
  assert.equal(await ask('/metrics', '192.0.2.8'), 200);
  now += 60_000;
  assert.equal(await ask('/metrics'), 200);
});

test('the networks of an IPv6 address have allowances, too: a /64 one, a /56 one and a half, a /48 two', () => {
  const limit = createAddressLimit(10, () => 1);
  const allowed = (addresses: readonly string[]) =>
    addresses.filter((address) => limit.take(address)?.isAllowed === true).length;
  const of = (site: string) =>
    Array.from({ length: 100 }, (_, index) => `2001:db8:1:${site}${(index % 16) + 10}::${index}`);
  assert.equal(allowed(Array.from({ length: 100 }, (_, index) => `2001:db8:2:1::${index}`)), 10);
  assert.equal(allowed(of('1')), 15);
  assert.equal(allowed([...of('2'), ...of('3')]), 5);
  assert.equal(allowed(Array.from({ length: 100 }, (_, index) => `2001:db8:3:${index}00::1`)), 20);
  assert.equal(createAddressLimit(0, () => 1).take('192.0.2.1'), null);
});

test('a sender of a million names takes no allowance of another name, and does not get a used one renewed', () => {
  const limit = createRateLimit(10, 60_000, () => 1);
  for (let n = 0; n < 10; n++) limit.take('used up');
  for (let n = 0; n < 3; n++) limit.take('used a little');
  for (let n = 0; n < 1_000_000; n++) limit.take(`name-${n}`);
  assert.equal(limit.take('one more')?.remaining, 9);
  assert.equal(limit.take('one more')?.remaining, 8);
  assert.equal(limit.take('used up')?.isAllowed, false);
  assert.equal(limit.take('used a little')?.isAllowed, true);
});

test('a long name has an allowance of its own', () => {
  const limit = createRateLimit(1, 60_000, () => 1);
  for (const name of ['x'.repeat(300), `${'x'.repeat(299)}y`]) {
    assert.deepEqual([limit.take(name)?.isAllowed, limit.take(name)?.isAllowed], [true, false]);
  }
});

test('runtimes and accounts leave out what has no value', async () => {
  const answer = await get('/v1/runtimes', { authorization: 'Bearer tsn_reader' });
  assert.deepEqual(answer.json(), [
    {
      name: '2026.04',
      multiStepSupport: true,
      nodeJsVersion: 'v24.13.1',
      dependencies: { axios: '1.13.4', playwright: '1.58.2' },
      stage: 'CURRENT',
    },
  ]);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  assert.deepEqual(
    (await get('/v1/runtimes/2026.04', { authorization: 'Bearer tsn_reader' })).json(),
    answer.json()[0],
  );
  assert.equal((await get('/v1/runtimes/1999.01', { authorization: 'Bearer tsn_reader' })).statusCode, 404);
});

for (const [how, authenticate] of [
  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the point: a rejection that is no error
  ['is rejected with nothing', () => Promise.reject(undefined)],
  // oxlint-disable-next-line typescript/only-throw-error -- the same, thrown
  [
    'throws nothing',
    () => {
      throw null;
    },
  ],
  ['fails', () => Promise.reject(new Error('the keys cannot be read'))],
] as const) {
  test(`a request whose key's look-up ${how} is a 500, and nothing of it is done`, async () => {
    let known = true;
    const { server } = restUnderTest({ authenticate: () => (known ? (keys['tsn_admin'] ?? null) : authenticate()) });
    const headers = { authorization: 'Bearer tsn_admin' };
    const payload = { key: 'GATE', value: '1' };
    known = false;
    assert.equal((await server.inject({ method: 'POST', url: '/v1/variables', headers, payload })).statusCode, 500);
    known = true;
    assert.deepEqual((await server.inject({ url: '/v1/variables', headers })).json(), []);
  });
}

test('a request that came round the gate is refused by the operation itself', async () => {
  const { server } = restUnderTest();
  server.addHook('preHandler', (request, _reply, done) => {
    request.caller = undefined;
    done();
  });
  const headers = { authorization: 'Bearer tsn_admin' };
  assert.equal((await server.inject({ url: '/v1/variables', headers })).statusCode, 401);
  assert.equal((await server.inject({ url: '/health/live' })).statusCode, 200);
});
