// Traffic of a Go SDK and a Terraform provider (reference §5.6) is accepted, and reads equal what was written.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startComposed } from '../support/service/composed.ts';
import { createAuthority } from '../support/targets/certificates.ts';
import { type Resources, resourcesUnderTest } from './resources-under-test.ts';

type Row = Readonly<Record<string, unknown>>;

interface Replayed {
  readonly name: string;
  /** Creation, update of `/{id}`, and reading. */
  readonly paths: readonly [create: string, update: string | null, read: string];
  readonly body: Row;
  readonly change: Row;
  /** Fields that reads show in another form. */
  readonly shown?: Row;
  /** Field of the ID; default `id`. */
  readonly key?: string;
}

const zero = '0001-01-01T00:00:00Z';
const nothingElse = { createdAt: zero, updatedAt: zero, created_at: zero, updated_at: zero };
/** Alert settings as the SDK writes those that are not set. */
const alertSettings = {
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: {},
  reminders: {},
  parallelRunFailureThreshold: {},
  sslCertificates: {},
};
const placed = { locations: [], privateLocations: [], tags: null, environmentVariables: null };
const quiet = { ...placed, ...nothingElse, useGlobalAlertSettings: true, alertSettings };
const request = {
  method: 'get',
  url: 'http://127.0.0.1:1/',
  followRedirects: true,
  body: '',
  bodyType: 'NONE',
  headers: null,
  queryParameters: null,
  assertions: null,
  basicAuth: { username: '', password: '' },
};

/** The request of a check that makes none, as the SDK writes it. */
const noRequest = {
  ...request,
  method: '',
  url: '',
  followRedirects: false,
  bodyType: undefined,
  basicAuth: undefined,
};
const noHeartbeat = { period: 0, periodUnit: '', grace: 0, graceUnit: '', pingToken: '' };
const scriptedCheck = (checkType: string) => ({
  id: '',
  name: 'Script',
  checkType,
  frequency: 10,
  activated: true,
  degradedResponseTime: 0,
  maxResponseTime: 0,
  script: 'await 1;',
  sslCheck: false,
  sslCheckDomain: '',
  request: noRequest,
  heartbeat: noHeartbeat,
  ...quiet,
});

/** Assertions as the SDK writes them: with fields of an older editor. */
const assertion = (source: string, comparison: string, property: string, target: string) => {
  const older = { edit: false, order: 0, arrayIndex: 0, arraySelector: 0 };
  return { ...older, source, comparison, property, target };
};

/** A monitor, which is updated under the path of its type. */
function monitor(type: string, settings: object): Replayed {
  const path = `/v1/checks/${type.toLowerCase()}`;
  const body = { name: type, frequency: 10, frequencyOffset: 80, activated: true, muted: false, ...quiet, ...settings };
  return {
    name: `a monitor of the type ${type}`,
    paths: [`${path}?autoAssignAlerts=false`, `${path}/{id}?autoAssignAlerts=false`, '/v1/checks/{id}'],
    body: { ...body, tags: ['tag-1'], groupId: 0, groupOrder: 0, runParallel: false, retryStrategy: null },
    change: { name: `${type} 2`, muted: true },
  };
}

const replayed: readonly Replayed[] = [
  monitor('URL', {
    request: { url: 'http://127.0.0.1:1/', followRedirects: true, skipSSL: false, assertions: null, ipFamily: 'IPv4' },
  }),
  monitor('TCP', { degradedResponseTime: 4000, request: { hostname: '127.0.0.1', port: 1, ipFamily: 'IPv4' } }),
  monitor('DNS', { request: { query: 'shop.example', recordType: 'A', protocol: 'UDP', nameServer: '' } }),
  monitor('ICMP', {
    degradedPacketLossThreshold: 5,
    maxPacketLossThreshold: 50,
    request: { hostname: '127.0.0.1', ipFamily: 'IPv4', pingCount: 5 },
  }),
  {
    name: 'a heartbeat monitor',
    paths: ['/v1/checks/heartbeat', '/v1/checks/heartbeat/{id}', '/v1/checks/{id}'],
    body: {
      id: '',
      name: 'Job',
      activated: true,
      muted: false,
      tags: ['tag-1'],
      alertSettings,
      useGlobalAlertSettings: true,
      heartbeat: { period: 1, periodUnit: 'days', grace: 2, graceUnit: 'hours', pingToken: '' },
      ...nothingElse,
    },
    change: { name: 'Job 2' },
  },
  {
    name: 'a browser check',
    paths: ['/v1/checks/browser?autoAssignAlerts=false', '/v1/checks/{id}?autoAssignAlerts=false', '/v1/checks/{id}'],
    body: scriptedCheck('BROWSER'),
    change: { script: 'await 2;', frequency: 30 },
  },
  {
    name: 'a multi-step check',
    paths: ['/v1/checks/multistep?autoAssignAlerts=false', '/v1/checks/{id}?autoAssignAlerts=false', '/v1/checks/{id}'],
    body: scriptedCheck('MULTI_STEP'),
    change: { script: 'await 2;', frequency: 30 },
  },
  {
    name: 'an API check',
    paths: ['/v1/checks/api?autoAssignAlerts=false', '/v1/checks/{id}?autoAssignAlerts=false', '/v1/checks/{id}'],
    body: {
      id: '',
      name: 'API',
      checkType: 'API',
      frequency: 10,
      activated: true,
      degradedResponseTime: 5000,
      maxResponseTime: 20_000,
      sslCheck: false,
      sslCheckDomain: '',
      heartbeat: noHeartbeat,
      setupSnippetId: 0,
      tearDownSnippetId: 0,
      localSetupScript: '',
      localTearDownScript: '',
      groupId: 0,
      groupOrder: 0,
      request,
      ...quiet,
    },
    change: { name: 'API 2', frequency: 5 },
    shown: { request: { method: 'GET', url: request.url } },
  },
  {
    name: 'an API check with assertions',
    paths: ['/v1/checks/api?autoAssignAlerts=false', '/v1/checks/{id}?autoAssignAlerts=false', '/v1/checks/{id}'],
    body: {
      name: 'Asserted',
      checkType: 'API',
      frequency: 10,
      ...quiet,
      request: { ...request, method: 'GET', assertions: [assertion('STATUS_CODE', 'EQUALS', '', '200')] },
    },
    change: { name: 'Asserted 2' },
    shown: {
      request: {
        assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', property: '', target: '200', regex: null }],
      },
    },
  },
  {
    name: 'a group',
    paths: [
      '/v2/check-groups?autoAssignAlerts=false',
      '/v2/check-groups/{id}?autoAssignAlerts=false',
      '/v1/check-groups/{id}',
    ],
    body: {
      id: 0,
      name: 'Group',
      activated: true,
      muted: false,
      concurrency: 3,
      setupSnippetId: 0,
      tearDownSnippetId: 0,
      localSetupScript: '',
      localTearDownScript: '',
      apiCheckDefaults: {
        url: '',
        headers: null,
        queryParameters: null,
        assertions: null,
        basicAuth: { username: '', password: '' },
      },
      ...quiet,
    },
    change: { name: 'Group 2', concurrency: 5 },
  },
  {
    name: 'a snippet',
    paths: ['/v1/snippets', '/v1/snippets/{id}', '/v1/snippets/{id}'],
    body: { id: 0, name: 'Snippet', script: 'console.log(1);', ...nothingElse },
    change: { script: 'console.log(2);' },
  },
  {
    name: 'a variable',
    paths: ['/v1/variables', '/v1/variables/{id}', '/v1/variables/{id}'],
    body: { key: 'KEY', value: 'a', locked: false, secret: false },
    change: { value: 'b' },
    key: 'key',
  },
  {
    name: 'a channel',
    paths: ['/v1/alert-channels', '/v1/alert-channels/{id}', '/v1/alert-channels/{id}'],
    body: {
      id: 0,
      type: 'WEBHOOK',
      config: { name: 'hook', url: 'http://127.0.0.1:1/', method: 'post', template: '', headers: null },
      subscriptions: null,
      sendRecovery: true,
      sendFailure: true,
      sendDegraded: false,
      sslExpiry: false,
      sslExpiryThreshold: 30,
      ...nothingElse,
    },
    change: { sendDegraded: true },
    shown: { config: { name: 'hook', method: 'POST' } },
  },
  {
    name: 'a private location',
    paths: ['/v1/private-locations', '/v1/private-locations/{id}', '/v1/private-locations/{id}'],
    body: {
      id: '',
      name: 'Office',
      slugName: 'office',
      icon: 'location',
      proxyUrl: '',
      keys: null,
      lastSeen: zero,
      ...nothingElse,
    },
    change: { name: 'Office 2' },
    shown: { proxyUrl: null },
  },
  {
    name: 'a maintenance window',
    paths: ['/v1/maintenance-windows', '/v1/maintenance-windows/{id}', '/v1/maintenance-windows/{id}'],
    body: {
      id: 0,
      name: 'Nights',
      startsAt: '2099-01-01T00:00:00.000Z',
      endsAt: '2099-01-01T01:00:00.000Z',
      repeatInterval: 1,
      repeatUnit: 'MONTH',
      repeatEndsAt: '2099-06-01T00:00:00.000Z',
      tags: ['shop'],
      ...nothingElse,
    },
    change: { name: 'Nights 2' },
  },
  {
    name: 'a maintenance window that pauses every check in its time zone',
    paths: ['/v1/maintenance-windows', '/v1/maintenance-windows/{id}', '/v1/maintenance-windows/{id}'],
    body: {
      id: 0,
      name: 'Moving',
      startsAt: '2099-08-24T00:00:00.000Z',
      endsAt: '2099-08-24T04:00:00.000Z',
      timezone: 'America/New_York',
      pauseAllChecks: true,
      silenceAllAlerts: false,
      silenceAlertsTags: ['shop'],
      created_at: '',
      updated_at: '',
    },
    change: { pauseAllChecks: false, silenceAllAlerts: true },
  },
  {
    name: 'a service of status pages',
    paths: ['/v1/status-pages/services', '/v1/status-pages/services/{id}', '/v1/status-pages/services/{id}'],
    body: { id: '', name: 'Checkout' },
    change: { name: 'Checkout and payment' },
  },
];

describe('clients of another service', () => {
  for (const { name, paths, body, change, shown = {}, key = 'id' } of replayed) {
    test(`create, read, update, read and delete ${name}`, async () => {
      await using on = resourcesUnderTest();
      const [create, update, read] = paths;
      const created = await on.ask('POST', create, body);
      assert.equal(created.status, 201, created.text);
      const at = (path: string): string => path.replace('{id}', String(created.body[key]));
      const first = { ...body, ...shown };
      assertShown(created.body, first);
      assertShown(await readOf(on, at(read)), first);
      const changed = await on.ask('PUT', at(update ?? read), { ...body, ...change });
      assert.equal(changed.status, 200, changed.text);
      assertShown(await readOf(on, at(read)), { ...first, ...change });
      assert.equal((await on.ask('DELETE', at(read))).status, 204);
      const gone = await on.ask('GET', at(read));
      assert.equal(gone.status, 404);
      assert.equal(gone.body.statusCode, 404, 'Terraform looks for 404 in the text');
    });
  }

  test('create, read and delete a client certificate', async () => {
    await using on = resourcesUnderTest();
    const body = { host: 'a.example', ...createAuthority().issue(), created_at: zero };
    const created = await on.ask('POST', '/v1/client-certificates', body);
    assert.equal(created.status, 201, created.text);
    const path = `/v1/client-certificates/${created.body.id}`;
    assert.deepEqual(await readOf(on, path), created.body);
    assert.equal((await on.ask('DELETE', path)).status, 204);
    assert.equal((await on.ask('GET', path)).status, 404);
    const ofPath = await on.ask('POST', '/v1/client-certificates', { ...body, path: '/partner' });
    assert.deepEqual([ofPath.status, Object.keys(ofPath.body.attributes)], [400, ['path']], ofPath.text);
  });

  test('create, read and delete the triggers of a check and of a group', async (t) => {
    const on = await startComposed(t, { TOCSIN_ROLES: 'api' });
    /** Requests name a content type even if they have no body. */
    const ask = async (method: string, path: string, body?: object): Promise<{ status: number; body: Row }> => {
      const headers = { authorization: `Bearer ${on.apiKey}`, 'content-type': 'application/json' };
      const answer = await fetch(on.address + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await answer.text();
      return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Row };
    };
    const group = await ask('POST', '/v2/check-groups?autoAssignAlerts=false', { name: 'Group' });
    const check = { name: 'API', request, groupId: group.body['id'] };
    const { body: made } = await ask('POST', '/v1/checks/api?autoAssignAlerts=false', check);
    for (const [path, target] of [
      [`/v1/triggers/checks/${String(made['id'])}`, { checkId: made['id'] }],
      [`/v1/triggers/check-groups/${String(group.body['id'])}`, { groupId: group.body['id'] }],
    ] as const) {
      const created = await ask('POST', path);
      assert.equal(created.status, 201, path);
      const { id, token } = created.body;
      assert.deepEqual([typeof id, typeof token], ['number', 'string']);
      const read = await ask('GET', path);
      assert.equal(read.status, 200);
      assertShown(read.body, { ...target, id, token });
      const again = await ask('POST', path);
      assert.deepEqual([again.status, again.body['id'], again.body['token']], [201, id, token]);
      assert.equal((await ask('DELETE', path)).status, 204);
      const gone = await ask('GET', path);
      assert.deepEqual([gone.status, gone.body['statusCode']], [404, 404]);
    }
  });
});

async function readOf(on: Resources, path: string): Promise<Row> {
  const { status, body, text } = await on.ask('GET', path);
  assert.equal(status, 200, text);
  return body as Row;
}

/** Whether nothing was written, in the ways that these clients have. */
function isNothing(value: unknown): boolean {
  const isEmpty =
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((each) => each === false || isNothing(each));
  return value === undefined || value === null || value === '' || value === 0 || value === zero || isEmpty;
}

/** Fields that reads show in another form, or not. */
const unshown = ['id', 'alertSettings', 'keys', 'sslCheck'];

/** Fields that were written have their values; those that were empty are empty or have their defaults. */
function assertShown(read: Row, written: Row): void {
  for (const [field, value] of Object.entries(written)) {
    if (isNothing(value) || unshown.includes(field)) continue;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      assertShown(read[field] as Row, value as Row);
    else assert.deepEqual(read[field], value, field);
  }
}
