// Checks of every type over REST: each under its own path, with its own defaults; read, listed and deleted alike.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTypes } from '#contract/checks/check.ts';
import { resourcesUnderTest } from './resources-under-test.ts';
import { runtime } from './rest-under-test.ts';

/** The least that a check of a type needs, what is filled in, and something of its own that is refused. */
const types = {
  API: {
    path: 'api',
    least: { request: { method: 'GET', url: 'https://shop.example/' } },
    shown: { degradedResponseTime: 5000, maxResponseTime: 20_000 },
    refused: [{ request: { method: 'BREW', url: 'https://shop.example/' } }, 'request.method'],
  },
  MULTI_STEP: {
    path: 'multistep',
    least: { script: 'await fetch("https://shop.example/");' },
    shown: { script: 'await fetch("https://shop.example/");', scriptPath: null, dependencies: [] },
    refused: [{ dependencies: [{ path: '../secret.ts', content: '' }] }, 'dependencies[0].path'],
  },
  BROWSER: {
    path: 'browser',
    least: { script: 'await 1;' },
    shown: { script: 'await 1;', scriptPath: null, dependencies: [], runtimeWarning: null },
    refused: [{ scriptPath: 'check.py' }, 'scriptPath'],
  },
  URL: {
    path: 'url',
    least: { request: { url: 'https://shop.example/' } },
    shown: {
      request: {
        method: 'GET',
        url: 'https://shop.example/',
        followRedirects: true,
        skipSSL: false,
        ipFamily: null,
        assertions: [],
      },
      degradedResponseTime: 3000,
      maxResponseTime: 5000,
    },
    refused: [{ request: { url: 'https://shop.example/', method: 'POST' } }, 'request.method'],
  },
  TCP: {
    path: 'tcp',
    least: { request: { hostname: 'redis.example', port: 6379 } },
    shown: {
      request: { hostname: 'redis.example', port: 6379, data: '', ipFamily: null, assertions: [] },
      degradedResponseTime: 3000,
      maxResponseTime: 5000,
    },
    refused: [{ request: { hostname: 'redis.example', port: 0 } }, 'request.port'],
  },
  SSL: {
    path: 'ssl',
    least: { sslConfig: { hostname: 'shop.example' } },
    shown: {
      sslConfig: {
        hostname: 'shop.example',
        port: 443,
        serverName: '',
        ipFamily: null,
        skipChainValidation: false,
        handshakeTimeoutMs: 10_000,
        alertDaysBeforeExpiry: 20,
        revocation: 'STAPLED',
        securityBaseline: {
          enabled: true,
          minTLSVersion: { value: 'TLS1.2', severity: 'fail' },
          minKeySizeBits: { value: 2048, severity: 'fail' },
          weakSignatureAlgorithm: { severity: 'fail' },
          weakCipherSuite: { severity: 'fail' },
          knownBadCA: { severity: 'fail' },
          recommendedTLSVersion: { value: 'TLS1.3', severity: 'ignore' },
          recommendedKeySizeBits: { value: 3072, severity: 'ignore' },
          ocspMustStapleRespected: { severity: 'fail' },
          sctPresent: { severity: 'ignore' },
          revocationAnswerValid: { severity: 'degrade' },
        },
        clientCertificateMode: null,
        assertions: [],
      },
      degradedResponseTime: 3000,
      maxResponseTime: 10_000,
    },
    refused: [{ sslConfig: { hostname: 'https://shop.example/' } }, 'sslConfig.hostname'],
  },
  DNS: {
    path: 'dns',
    least: { request: { query: 'shop.example', recordType: 'A' } },
    shown: {
      request: {
        query: 'shop.example',
        recordType: 'A',
        nameServer: null,
        port: 53,
        protocol: 'UDP',
        assertions: [],
      },
      degradedResponseTime: 500,
      maxResponseTime: 1000,
    },
    refused: [{ request: { query: 'shop..example', recordType: 'A' } }, 'request.query'],
  },
  ICMP: {
    path: 'icmp',
    least: { request: { hostname: 'gateway.example' } },
    shown: {
      request: { hostname: 'gateway.example', ipFamily: null, pingCount: 10, assertions: [] },
      degradedPacketLossThreshold: 10,
      maxPacketLossThreshold: 20,
    },
    refused: [{ request: { hostname: 'gateway.example', pingCount: 51 } }, 'request.pingCount'],
  },
  HEARTBEAT: {
    path: 'heartbeat',
    least: { heartbeat: { period: 1, periodUnit: 'days', grace: 0, graceUnit: 'minutes' } },
    shown: { frequency: 10 },
    refused: [{ heartbeat: { period: 29, periodUnit: 'seconds', grace: 0, graceUnit: 'days' } }, 'heartbeat.period'],
  },
} as const;

test('each type of check has its line here', () => {
  assert.deepEqual(Object.keys(types).toSorted(), checkTypes);
});

for (const [checkType, { path, least, shown, refused }] of Object.entries(types)) {
  test(`a ${checkType} check is created with its defaults, changed, and refused with what it cannot be`, async () => {
    await using api = resourcesUnderTest();
    const created = await api.ask('POST', `/v1/checks/${path}`, { name: 'One', ...least });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.body.checkType, checkType);
    for (const [name, value] of Object.entries(shown)) assert.deepEqual(created.body[name], value, name);

    const { id } = created.body;
    const changed = await api.ask('PUT', `/v1/checks/${path}/${id}`, { frequency: 5 });
    const { updated_at, nextRunAt } = changed.body;
    assert.deepEqual(changed.body, { ...created.body, frequency: 5, updated_at, nextRunAt });
    const sentBack = await api.ask('PUT', `/v1/checks/${path}/${id}`, changed.body);
    assert.deepEqual({ ...sentBack.body, updated_at: null }, { ...changed.body, updated_at: null });
    assert.equal((await api.ask('PUT', `/v1/checks/${id}`, { name: 'Two' })).body.name, 'Two', 'what all have');

    const [wrong, field] = refused;
    const answer = await api.ask('POST', `/v1/checks/${path}`, { name: 'One', ...least, ...wrong });
    assert.deepEqual([answer.status, Object.keys(answer.body.attributes)], [400, [field]], answer.text);
    const other = checkType === 'HEARTBEAT' ? 'API' : 'HEARTBEAT';
    const mistaken = await api.ask('POST', `/v1/checks/${path}`, { name: 'One', ...least, checkType: other });
    assert.deepEqual(Object.keys(mistaken.body.attributes), ['checkType']);
    const anywhere = await api.ask('POST', '/v1/checks', { checkType, name: 'Three', ...least });
    assert.deepEqual([anywhere.status, anywhere.body.checkType], [201, checkType]);
    assert.equal((await api.ask('DELETE', `/v1/checks/${id}`)).status, 204);
  });
}

test('checks of all types stand in one list, which can be asked for those of one', async () => {
  await using api = resourcesUnderTest();
  for (const { path, least } of Object.values(types)) {
    assert.equal((await api.ask('POST', `/v1/checks/${path}`, { name: path, ...least })).status, 201);
  }
  const all = (await api.ask('GET', '/v1/checks?limit=100')).body as { checkType: string }[];
  assert.deepEqual(all.map((each) => each.checkType).toSorted(), [...checkTypes].toSorted());
  for (const checkType of checkTypes) {
    const found = (await api.ask('GET', `/v1/checks?checkType=${checkType}`)).body as { checkType: string }[];
    assert.deepEqual(
      found.map((each) => each.checkType),
      [checkType],
    );
  }
});

test('a check is not found under the path of another type, and its own settings are changed only under its own', async () => {
  await using api = resourcesUnderTest();
  const { id } = (await api.ask('POST', '/v1/checks/url', { name: 'One', ...types.URL.least })).body;
  const other = await api.ask('PUT', `/v1/checks/api/${id}`, { name: 'Two' });
  assert.equal(other.status, 404);
  assert.match(other.body.message, new RegExp(`is of type [A-Z]+\\. Use /v1/checks/[a-z]+/${id}\\.$`));
  const elsewhere = await api.ask('PUT', `/v1/checks/${id}`, { maxResponseTime: 9000 });
  assert.equal(elsewhere.status, 400);
  assert.match(
    elsewhere.body.attributes.maxResponseTime,
    /applies to API checks only: change the settings of this URL check/,
  );
});

test('an SSL check may be written as newer clients do, all of it under its request', async () => {
  await using api = resourcesUnderTest();
  const assertions = [{ source: 'CONNECTION', property: 'tlsVersion', comparison: 'EQUALS', target: 'TLS1.3' }];
  const sslConfig = { serverName: 'www.shop.example', alertDaysBeforeExpiry: 30 };
  const request = { hostname: 'shop.example', port: 8443, sslConfig, assertions, sslClientCertificateId: '' };
  const created = await api.ask('POST', '/v1/checks/ssl', { name: 'One', request });
  assert.equal(created.status, 201, created.text);
  const { hostname, port, serverName, alertDaysBeforeExpiry } = created.body.sslConfig;
  assert.deepEqual([hostname, port, serverName, alertDaysBeforeExpiry], ['shop.example', 8443, 'www.shop.example', 30]);
  assert.equal(created.body.sslConfig.assertions[0].property, 'tlsVersion');
  const certified = { ...request, sslClientCertificateId: '0199f0c4-0000-7000-8000-0000000000ff' };
  const refused = await api.ask('PUT', `/v1/checks/ssl/${created.body.id}`, { request: certified });
  assert.deepEqual(Object.keys(refused.body.attributes), ['sslConfig.sslClientCertificateId']);
});

test('a check says on the wire that its runtime is deprecated, near its end, or gone', async () => {
  const older = { ...runtime, name: '2025.10', stage: 'DEPRECATED', runtimeEndOfLife: '04/08/2026' } as const;
  await using api = resourcesUnderTest(undefined, () => [older]);
  const { clock } = api.temp;
  const create = async (path: string, runtimeId: string | null, least: object): Promise<string> => {
    const created = await api.ask('POST', `/v1/checks/${path}`, { name: 'One', ...least, runtimeId });
    assert.equal(created.status, 201, created.text);
    return String(created.body.id);
  };
  const scripted = [
    await create('multistep', older.name, types.MULTI_STEP.least),
    await create('api', older.name, { ...types.API.least, localSetupScript: 'await 1;' }),
  ];
  const current = await create('browser', null, types.BROWSER.least);
  const without = await create('api', older.name, types.API.least);
  const said = async (id: string): Promise<unknown> => {
    const all = (await api.ask('GET', '/v1/checks?limit=100')).body as readonly { readonly id: string }[];
    const { body } = await api.ask('GET', `/v1/checks/${id}`);
    assert.deepEqual(
      all.find((each) => each.id === id),
      body,
      'listed as it is shown alone',
    );
    return body.runtimeWarning;
  };
  const day = 86_400_000;
  const endsAt = Date.UTC(2026, 3, 8);
  const deprecated = 'runtime 2025.10 is deprecated; choose a newer one';
  const ends = 'runtime 2025.10 reaches its end of life on 04/08/2026; choose a newer one before then';
  const gone = 'runtime 2025.10 is not available on this server; choose another';
  for (const [at, warning] of [
    [endsAt - 30 * day - 1, deprecated],
    [endsAt - 30 * day, `${deprecated}; ${ends}`],
    [endsAt - 1, `${deprecated}; ${ends}`],
    [endsAt, gone],
  ] as const) {
    clock.advance(at - clock.now());
    for (const id of scripted) assert.equal(await said(id), warning);
    assert.equal(await said(current), null);
    assert.equal(await said(without), undefined, 'without scripts there is nothing to say');
  }
});

test('an unknown field is taken for a required one that is missing', async () => {
  await using api = resourcesUnderTest();
  const { body } = await api.ask('POST', '/v1/checks/tcp', { name: 'A', request: { host: '127.0.0.1', port: 80 } });
  assert.equal(body.attributes['request.host'], 'unknown field; did you mean "hostname"?');
});
