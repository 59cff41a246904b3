// Checks over REST: written, read, listed and refused.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { resourcesUnderTest } from './resources-under-test.ts';

const request = { method: 'get', url: 'https://shop.example/health' };

test('a check is created with every default, read, changed in part, reset and deleted', async () => {
  await using api = resourcesUnderTest();
  const created = await api.ask('POST', '/v1/checks/api', { name: 'Zürich 東京 🛎', request });
  assert.equal(created.status, 201);
  const { id, ...rest } = created.body;
  assert.match(id, /^[0-9a-f-]{36}$/);
  const untilRunMs = Date.parse(String(rest['nextRunAt'])) - Date.parse('2026-03-10T12:00:00.000Z');
  assert.ok(untilRunMs > 0 && untilRunMs <= 10 * 60_000, 'every ten minutes');
  assert.deepEqual(rest, {
    checkType: 'API',
    name: 'Zürich 東京 🛎',
    description: null,
    runbookUrl: null,
    notes: null,
    activated: true,
    muted: false,
    mutedUntil: null,
    mutedUntilRecovery: false,
    dependsOn: [],
    shouldFail: false,
    doubleCheck: true,
    locations: [],
    privateLocations: null,
    tags: [],
    frequency: 10,
    frequencyOffset: null,
    runParallel: false,
    groupId: null,
    groupOrder: null,
    runtimeId: null,
    runtimeFallback: false,
    environmentVariables: [],
    alertSettings: null,
    useGlobalAlertSettings: true,
    alertChannelSubscriptions: [],
    retryStrategy: null,
    triggerIncident: null,
    nextRunAt: rest['nextRunAt'],
    notifiesNobody: true,
    request: {
      method: 'GET',
      url: 'https://shop.example/health',
      followRedirects: true,
      skipSSL: false,
      ipFamily: null,
      body: '',
      bodyType: 'NONE',
      headers: [],
      queryParameters: [],
      assertions: [],
      basicAuth: null,
    },
    degradedResponseTime: 5000,
    maxResponseTime: 20000,
    sslCheckDomain: null,
    setupSnippetId: null,
    tearDownSnippetId: null,
    localSetupScript: null,
    localTearDownScript: null,
    created_at: '2026-03-10T12:00:00.000Z',
    updated_at: null,
  });
  assert.deepEqual((await api.ask('GET', `/v1/checks/${id.toUpperCase()}`)).body, created.body);

  for (const runbookUrl of ['javascript:alert(1)', 'wiki/shop']) {
    const refused = await api.ask('PUT', `/v1/checks/${id}`, { runbookUrl });
    assert.deepEqual(refused.body.attributes, { runbookUrl: 'must be a URL that begins with http:// or https://' });
  }
  const changed = await api.ask('PUT', `/v1/checks/${id}`, { frequency: 5, maxResponseTime: 9000, tags: ['a'] });
  assert.equal(changed.status, 200);
  assert.equal(changed.body.maxResponseTime, 9000);
  assert.deepEqual(changed.body.request, rest.request, 'what is not named stays');
  const reset = await api.ask('PUT', `/v1/checks/api/${id}`, { frequency: null, maxResponseTime: null, tags: null });
  assert.deepEqual({ ...reset.body, updated_at: null }, created.body);

  assert.deepEqual(await api.ask('DELETE', `/v1/checks/${id}`), {
    status: 204,
    body: null,
    text: '',
    range: undefined,
  });
  for (const method of ['GET', 'DELETE'] as const) {
    assert.equal((await api.ask(method, `/v1/checks/${id}`)).status, 404);
  }
});

test('an answer sent back as it came changes nothing', async () => {
  await using api = resourcesUnderTest();
  const full = { ...request, basicAuth: { username: 'bob', password: 'canary' } };
  const environmentVariables = [{ key: 'TOKEN', value: 'canary', secret: true }];
  const body = { name: 'A', request: full, environmentVariables, retryStrategy: { type: 'LINEAR', onlyOn: null } };
  const created = (await api.ask('POST', '/v1/checks/api', body)).body;
  const sentBack = await api.ask('PUT', `/v1/checks/${created.id}`, created);
  assert.equal(sentBack.status, 200, sentBack.text);
  assert.deepEqual({ ...sentBack.body, updated_at: null }, created);
});

test('secrets of a check never come out and stay when their mask is sent back', async () => {
  await using api = resourcesUnderTest();
  const basicAuth = { username: 'bob', password: 'canary-one' };
  const environmentVariables = [
    { key: 'TOKEN', value: 'canary-two', secret: true },
    { key: 'PLACE', value: 'canary-locked', locked: true },
  ];
  const headers = [{ key: 'x-key', value: 'canary-header', locked: true }];
  const created = await api.ask('POST', '/v1/checks/api', {
    name: 'A',
    request: { ...request, basicAuth, headers },
    environmentVariables,
  });
  const { id } = created.body;
  assert.equal(created.body.request.basicAuth.password, '********');
  assert.equal(created.body.environmentVariables[0].value, null);
  for (const path of ['/v1/checks', `/v1/checks/${id}`, `/v1/checks/${id}?applyGroupSettings=true`]) {
    assert.doesNotMatch((await api.ask('GET', path)).text, /canary-(one|two)/);
    assert.doesNotMatch((await api.ask('GET', path, undefined, 'tsn_reader')).text, /canary/);
  }
  assert.match(created.text, /canary-locked.*canary-header/, 'locked ones are shown to those who may change them');

  const kept = await api.ask('PUT', `/v1/checks/${id}`, {
    request: { ...request, basicAuth: { username: 'eve', password: '********' } },
    environmentVariables: [{ key: 'TOKEN', value: null, secret: true }],
  });
  assert.equal(kept.status, 200, kept.text);
  const stored = await api.temp.store.checks.find('0199f0c4-0000-7000-8000-000000000001', id);
  assert.equal(stored?.check.environmentVariables[0]?.value, 'canary-two');
  assert.match(JSON.stringify(stored?.check.settings), /"username":"eve","password":"canary-one"/);

  const shown = await api.ask('PUT', `/v1/checks/${id}`, {
    environmentVariables: [{ key: 'TOKEN', value: null, secret: false }],
  });
  assert.equal(shown.status, 400);
  assert.deepEqual(Object.keys(shown.body.attributes), ['environmentVariables[0].value']);
});

for (const [what, change, path] of [
  ['a field that does not exist', { freqency: 5 }, 'freqency'],
  ['a field of the request that does not exist', { request: { ...request, metod: 'GET' } }, 'request.metod'],
  ['a type of check that is not there', { checkType: 'GRPC' }, 'checkType'],
  ['another type of check', { checkType: 'URL' }, 'checkType'],
  ['a location that is not there', { locations: ['local', 'mars'] }, 'locations[1]'],
  ['a private location', { privateLocations: ['cellar'] }, 'privateLocations[0]'],
  ['a runtime that is not installed', { runtimeId: '2019.01' }, 'runtimeId'],
  ['a group that is not there', { groupId: 77 }, 'groupId'],
  [
    'a channel that is not there',
    { alertChannelSubscriptions: [{ alertChannelId: 77 }] },
    'alertChannelSubscriptions[0].alertChannelId',
  ],
  ['a frequency that is not offered', { frequency: 7 }, 'frequency'],
  ['seconds that are not offered', { frequency: 0, frequencyOffset: 15 }, 'frequencyOffset'],
  ['no seconds', { frequency: 0 }, 'frequencyOffset'],
  ['a URL without a host', { request: { ...request, url: 'shop' } }, 'request.url'],
  [
    'an assertion that cannot be compiled',
    {
      request: { ...request, assertions: [{ source: 'JSON_BODY', comparison: 'EQUALS', property: '$[', target: '1' }] },
    },
    'request.assertions[0]',
  ],
  [
    'a secret without a value',
    { environmentVariables: [{ key: 'A', value: null, secret: true }] },
    'environmentVariables[0].value',
  ],
  [
    'a variable twice',
    {
      environmentVariables: [
        { key: 'A', value: '1' },
        { key: 'A', value: '2' },
      ],
    },
    'environmentVariables[1].key',
  ],
  ['a name that is empty', { name: ' ' }, 'name'],
] as const) {
  test(`${what} is refused, and named`, async () => {
    await using api = resourcesUnderTest();
    const refused = await api.ask('POST', '/v1/checks/api', { name: 'A', request, ...change });
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(Object.keys(refused.body.attributes), [path]);
    const { id } = (await api.ask('POST', '/v1/checks/api', { name: 'A', request })).body;
    const again = await api.ask('PUT', `/v1/checks/${id}`, change);
    assert.equal(again.status, 400, again.text);
    assert.deepEqual(Object.keys(again.body.attributes), [path]);
    assert.equal((await api.ask('GET', '/v1/checks')).range, '0-0/1', 'nothing was half written');
  });
}

test('a check runs every 10, 20 or 30 seconds with frequency 0', async () => {
  await using api = resourcesUnderTest();
  const { body } = await api.ask('POST', '/v1/checks/api', { name: 'A', request, frequency: 0, frequencyOffset: 20 });
  const row = () => api.temp.raw.prepare('SELECT interval_ms FROM schedules').get();
  assert.equal(row()?.['interval_ms'], 20_000);
  assert.equal((await api.ask('PUT', `/v1/checks/${body.id}`, { activated: false })).status, 200);
  assert.equal(row(), undefined);
});

test('hundreds of checks are paged and filtered', async () => {
  await using api = resourcesUnderTest();
  for (let number = 0; number < 230; number++) {
    api.temp.clock.advance(1);
    const tags = number % 2 === 0 ? ['even', 'all'] : ['all'];
    await api.ask('POST', '/v1/checks/api', { name: `Prüfung ${number}`, request, tags, activated: number > 4 });
  }
  const first = await api.ask('GET', '/v1/checks?limit=100');
  assert.equal(first.range, '0-99/230');
  assert.equal(first.body[0].name, 'Prüfung 229');
  const last = await api.ask('GET', '/v1/checks?limit=100&page=3');
  assert.equal(last.range, '200-229/230');
  assert.equal(last.body.at(-1).name, 'Prüfung 0');
  for (const [query, total] of [
    ['tag=even', 115],
    ['tag[]=even&tag[]=all', 115],
    ['tag=none', 0],
    ['search=PRÜFUNG%2022', 11],
    ['search=%25', 0],
    ['activated=false', 5],
    ['checkType=API', 230],
    ['status=failing', 0],
    ['apiCheckUrlFilterPattern=SHOP.example', 230],
    ['groupId=1', 0],
  ] as const) {
    const { range, status } = await api.ask('GET', `/v1/checks?limit=1&${query}`);
    assert.equal(status, 200, query);
    assert.match(range ?? '', new RegExp(`/${total}$`), query);
  }
});

test('two changes at once both hold', async () => {
  await using api = resourcesUnderTest();
  const { id } = (await api.ask('POST', '/v1/checks/api', { name: 'A', request })).body;
  const fields = [{ name: 'B' }, { frequency: 1 }, { muted: true }, { tags: ['x'] }, { description: 'd' }];
  const answers = await Promise.all(fields.map((field) => api.ask('PUT', `/v1/checks/${id}`, field)));
  assert.ok(answers.every(({ status }) => status === 200));
  const { name, frequency, muted, tags, description } = (await api.ask('GET', `/v1/checks/${id}`)).body;
  assert.deepEqual([{ name }, { frequency }, { muted }, { tags }, { description }], fields);
});

test('ids that never existed and those of another account are the same 404', async () => {
  await using api = resourcesUnderTest();
  const { id } = (await api.ask('POST', '/v1/checks/api', { name: 'A', request }, 'tsn_foreign')).body;
  for (const unknown of [id, randomUUID()]) {
    for (const [method, body] of [['GET'], ['PUT', { name: 'B' }], ['DELETE']] as const) {
      const answer = await api.ask(method, `/v1/checks/${unknown}`, body);
      assert.equal(answer.status, 404);
      assert.equal(answer.body.message, `Check ${unknown} not found.`);
    }
  }
  assert.equal((await api.ask('GET', '/v1/checks')).range, '0-0/0');
  assert.equal((await api.ask('GET', '/v1/checks/17')).status, 400);
});

test('a key that may only read changes nothing', async () => {
  await using api = resourcesUnderTest();
  const { id } = (await api.ask('POST', '/v1/checks/api', { name: 'A', request })).body;
  assert.equal((await api.ask('GET', `/v1/checks/${id}`, undefined, 'tsn_reader')).status, 200);
  for (const [method, path] of [
    ['POST', '/v1/checks/api'],
    ['PUT', `/v1/checks/${id}`],
    ['DELETE', `/v1/checks/${id}`],
  ] as const) {
    assert.equal((await api.ask(method, path, { name: 'B', request }, 'tsn_reader')).status, 403);
  }
  assert.equal((await api.ask('GET', `/v1/checks/${id}`)).body.name, 'A');
});

test('the older path takes a check with its type, and what older clients send along', async () => {
  await using api = resourcesUnderTest();
  const body = {
    checkType: 'API',
    name: 'A',
    request: { ...request, headers: null, assertions: null },
    tags: null,
    id: '',
    created_at: '0001-01-01T00:00:00Z',
    heartbeat: { period: 0 },
    sslCheckDomain: '',
    degradedResponseTime: 0,
    alertSettings: { escalationType: 'RUN_BASED', runBasedEscalation: {}, reminders: { amount: 0, interval: 5 } },
  };
  const created = await api.ask('POST', '/v1/checks?autoAssignAlerts=false', body);
  assert.equal(created.status, 201, created.text);
  assert.equal(created.body.degradedResponseTime, 5000);
  assert.equal((await api.ask('POST', '/v1/checks', { name: 'A', request })).status, 400, 'without its type');
});

test('an id is refused on create unless it is empty, and ignored on update', async () => {
  await using api = resourcesUnderTest();
  const window = { name: 'W', startsAt: '2027-01-01T00:00:00Z', endsAt: '2027-01-01T01:00:00Z' };
  for (const [path, body] of [
    ['/v1/checks/api', { name: 'A', request }],
    ['/v1/checks', { name: 'A', checkType: 'API', request }],
    ['/v1/checks/url', { name: 'A', request: { url: request.url } }],
    ['/v1/checks/ssl', { name: 'A', sslConfig: { hostname: 'a.example' } }],
    ['/v1/check-groups', { name: 'G' }],
    ['/v2/check-groups', { name: 'G' }],
    ['/v1/alert-channels', { type: 'WEBHOOK', config: { url: 'https://hooks.example/' } }],
    ['/v1/maintenance-windows', window],
  ] as const) {
    for (const id of ['4711', 7]) {
      const refused = await api.ask('POST', path, { ...body, id });
      assert.deepEqual([refused.status, refused.body.message], [400, 'id is assigned by Tocsin: omit it.'], path);
    }
    for (const id of ['', 0, null]) assert.equal((await api.ask('POST', path, { ...body, id })).status, 201, path);
  }
  const made = await api.ask('POST', '/v1/maintenance-windows', window);
  assert.equal((await api.ask('PUT', `/v1/maintenance-windows/${made.body.id}`, made.body)).status, 200);
});

test('an unknown field is met with the one that was probably meant, deep inside too', async () => {
  await using api = resourcesUnderTest();
  const assertions = [{ source: 'STATUS_CODE', comparson: 'EQUALS', target: '200' }];
  const answer = await api.ask('POST', '/v1/checks/api', {
    name: 'x',
    frequncy: 5,
    request: { ...request, assertions },
  });
  assert.equal(answer.status, 400);
  const { attributes, message } = answer.body as { attributes: Record<string, string>; message: string };
  assert.equal(attributes['frequncy'], 'unknown field; did you mean "frequency"?');
  const inside = attributes['request.assertions[0].comparson'];
  assert.equal(inside, 'unknown field; did you mean "comparison"?');
  assert.match(message, /Unknown field "frequncy"; did you mean "frequency"\?/);
});

test('the target of an assertion may be written as a number, true or false, and is kept as text', async () => {
  await using api = resourcesUnderTest();
  const assertion = (target: unknown) => ({ source: 'JSON_BODY', comparison: 'EQUALS', property: '$.x', target });
  const assertions = [200, 1.5, true, false, '200', null].map(assertion);
  const created = await api.ask('POST', '/v1/checks/api', { name: 'x', request: { ...request, assertions } });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const { request: kept } = created.body as unknown as { request: { assertions: { target: unknown }[] } };
  assert.deepEqual(
    kept.assertions.map(({ target }) => target),
    ['200', '1.5', 'true', 'false', '200', ''],
  );
  const wrong = { name: 'x', request: { ...request, assertions: [assertion([200])] } };
  const refused = await api.ask('POST', '/v1/checks/api', wrong);
  assert.equal(refused.status, 400);
  assert.deepEqual(refused.body['attributes'], { 'request.assertions[0].target': 'must be a string' });
});
