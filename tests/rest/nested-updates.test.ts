// PUT and PATCH merge into nested objects: a walk over every nested object of every resource (decision 0019).
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { everyOperation } from '#contract/operations.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { send } from './operation-calls.ts';

type Json = Record<string, unknown>;

let on: Composed;
const cleanups: (() => void | Promise<void>)[] = [];
before(async () => {
  on = await startComposed({ after: (work) => void cleanups.push(work) }, { TOCSIN_ROLES: 'api' });
  const service = await ask('POST', '/v1/status-pages/services', { name: 'Checkout' });
  triggerIncident.serviceId = String(service.body.id);
});
after(async () => {
  for (const work of cleanups) await work();
});

interface Reply {
  readonly status: number;
  readonly text: string;
  // eslint-disable-next-line typescript/no-explicit-any -- the test looks into answers of every shape
  readonly body: any;
}

async function ask(method: string, path: string, body?: object, type = 'application/json'): Promise<Reply> {
  const headers = { authorization: `Bearer ${on.apiKey}`, 'content-type': type };
  const { status, text } = await send(on.port, { method, path, headers, body: body ? JSON.stringify(body) : '' });
  return { status, text, body: text === '' ? null : JSON.parse(text) };
}

const pair = { key: 'a', value: 'b', locked: true };
const assertion = (source: string) => ({ source, comparison: 'LESS_THAN', property: '', target: '299', regex: null });
/** Of a service that exists once the tests begin. */
const triggerIncident = {
  serviceId: '',
  severity: 'MINOR',
  name: 'Payments fail',
  description: 'We are looking into it.',
  notifySubscribers: false,
};
const shared = {
  name: 'full',
  activated: false,
  retryStrategy: {
    type: 'LINEAR',
    baseBackoffSeconds: 7,
    maxRetries: 3,
    maxDurationSeconds: 99,
    sameRegion: false,
    onlyOn: ['NETWORK_ERROR'],
  },
  alertSettings: {
    escalationType: 'TIME_BASED',
    runBasedEscalation: { failedRunThreshold: 2 },
    timeBasedEscalation: { minutesFailingThreshold: 10 },
    reminders: { amount: 3, interval: 15 },
    parallelRunFailureThreshold: { enabled: true, percentage: 40 },
    sslCertificates: { enabled: true, alertThreshold: 12 },
  },
  triggerIncident,
};
const http = { url: 'https://shop.example/', followRedirects: false, skipSSL: true, ipFamily: 'IPv6' };
const defaults = {
  url: 'https://shop.example',
  headers: [pair],
  queryParameters: [pair],
  assertions: [assertion('STATUS_CODE')],
  basicAuth: { username: 'u', password: 'p' },
};
const baseline = {
  enabled: false,
  minTLSVersion: { value: 'TLS1.1', severity: 'degrade' },
  minKeySizeBits: { value: 1024, severity: 'degrade' },
  weakSignatureAlgorithm: { severity: 'ignore' },
  weakCipherSuite: { severity: 'ignore' },
  knownBadCA: { severity: 'ignore' },
  recommendedTLSVersion: { value: 'TLS1.2', severity: 'fail' },
  recommendedKeySizeBits: { value: 4096, severity: 'fail' },
  ocspMustStapleRespected: { severity: 'ignore' },
  sctPresent: { severity: 'fail' },
  revocationAnswerValid: { severity: 'ignore' },
};
const group = {
  name: 'full',
  apiCheckDefaults: defaults,
  browserCheckDefaults: { a: { b: 1 } },
  retryStrategy: shared.retryStrategy,
  alertSettings: shared.alertSettings,
};

/** By the id of its update: where it is created, a body in which no nested field has its default, and the least there is. */
const resources: Readonly<Record<string, { at: string; full: Json; least: Json }>> = {
  updateApiCheck: {
    at: '/v1/checks/api',
    full: {
      ...shared,
      request: { ...http, ...defaults, url: http.url, method: 'POST', body: '{}', bodyType: 'JSON' },
    },
    least: { name: 'least', request: { method: 'GET', url: 'https://least.example/' } },
  },
  updateUrlCheck: {
    at: '/v1/checks/url',
    full: { ...shared, request: { ...http, assertions: [assertion('STATUS_CODE')] } },
    least: { name: 'least', request: { url: 'https://least.example/' } },
  },
  updateTcpCheck: {
    at: '/v1/checks/tcp',
    full: {
      ...shared,
      request: {
        hostname: 'a.example',
        port: 7,
        data: 'x',
        ipFamily: 'IPv4',
        assertions: [assertion('RESPONSE_TIME')],
      },
    },
    least: { name: 'least', request: { hostname: 'least.example', port: 8 } },
  },
  updateSslCheck: {
    at: '/v1/checks/ssl',
    full: {
      ...shared,
      sslConfig: {
        hostname: 'a.example',
        port: 8443,
        serverName: 'b.example',
        ipFamily: 'IPv4',
        skipChainValidation: true,
        handshakeTimeoutMs: 2000,
        alertDaysBeforeExpiry: 5,
        revocation: 'OFF',
        securityBaseline: baseline,
        assertions: [assertion('RESPONSE_TIME')],
      },
    },
    least: { name: 'least', sslConfig: { hostname: 'least.example' } },
  },
  updateDnsCheck: {
    at: '/v1/checks/dns',
    full: {
      ...shared,
      request: {
        query: 'a.example',
        recordType: 'MX',
        nameServer: 'ns.example',
        port: 54,
        protocol: 'TCP',
        assertions: [assertion('RESPONSE_TIME')],
      },
    },
    least: { name: 'least', request: { query: 'least.example', recordType: 'A' } },
  },
  updateIcmpCheck: {
    at: '/v1/checks/icmp',
    full: {
      ...shared,
      request: {
        hostname: 'a.example',
        ipFamily: 'IPv4',
        pingCount: 3,
        assertions: [{ ...assertion('LATENCY'), property: 'avg' }],
      },
    },
    least: { name: 'least', request: { hostname: 'least.example' } },
  },
  updateHeartbeatCheck: {
    at: '/v1/checks/heartbeat',
    full: { ...shared, heartbeat: { period: 2, periodUnit: 'days', grace: 3, graceUnit: 'hours' } },
    least: { name: 'least', heartbeat: { period: 1, periodUnit: 'hours', grace: 0, graceUnit: 'minutes' } },
  },
  updateMultiStepCheck: {
    at: '/v1/checks/multistep',
    full: { ...shared, script: 'await 1;' },
    least: { name: 'least', script: '1;' },
  },
  updateBrowserCheck: {
    at: '/v1/checks/browser',
    full: { ...shared, script: 'await 1;' },
    least: { name: 'least', script: '1;' },
  },
  updateCheckGroup: { at: '/v1/check-groups', full: group, least: { name: 'least' } },
  updateCheckGroupV2: { at: '/v2/check-groups', full: group, least: { name: 'least' } },
  updateAlertChannel: {
    at: '/v1/alert-channels',
    full: {
      type: 'WEBHOOK',
      config: {
        name: 'full',
        url: 'https://hooks.example/',
        method: 'PUT',
        template: '{"a": {{json ALERT_TITLE}} }',
        headers: [pair],
        queryParameters: [pair],
        webhookSecret: 'canary',
        webhookType: 'SLACK',
        longTail: true,
      },
    },
    least: { type: 'WEBHOOK', config: { url: 'https://least.example/' } },
  },
  updateStatusPage: {
    at: '/v1/status-pages',
    full: { name: 'full', url: 'full', themeColors: { light: '#0a7d33', dark: '#7ee2a8' }, texts: { stale: 'Old' } },
    least: { name: 'least', url: 'least' },
  },
  updateStatusService: {
    at: '/v1/status-pages/services',
    full: {
      name: 'full',
      threshold: { of: 'CHECKS', count: 2 },
      incidents: {
        mode: 'PUBLISH',
        afterMinutes: 5,
        severity: 'MINOR',
        name: 'Slow',
        description: 'It is slow.',
        resolution: 'It is fast.',
        notifySubscribers: false,
      },
    },
    least: { name: 'least' },
  },
  updateAccount: {
    at: '/v1/accounts',
    full: { name: 'full', settings: { a: { b: 1, c: [2] }, d: 'e' }, alertSettings: shared.alertSettings },
    least: { name: 'least' },
  },
};

/** Their bodies hold no objects, or those of a resource above: `updateCheck` is the update of API checks as well. */
const flat = [
  'updatePrivateLocation',
  'updateSnippet',
  'updateStatusIncident',
  'updateIncidentUpdate',
  'updateCheck',
  'updateVariable',
  'updateMaintenanceWindow',
  'putSubscription',
  'updateUser',
  'updateCliMember',
  'updatePassword',
  'confirmSecondFactor',
  'connectIdentity',
  'changeChecksOfGroup',
];

/** Values that every new resource has, or that an answer cannot show. */
const unset = ['previousSecretUntil', 'clientCertificateMode', 'pingToken', 'pingUrl'];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every field of every nested object: the names that lead to it. */
function nestedFields(value: Json, above: readonly string[] = []): (readonly string[])[] {
  return Object.entries(value).flatMap(([name, field]) => {
    const path = [...above, name];
    return [...(above.length > 0 ? [path] : []), ...(isObject(field) ? nestedFields(field, path) : [])];
  });
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isObject(inner) ? inner[name] : undefined), value);

/** `{a: {b: value}}` of the path a, b. */
const naming = (path: readonly string[], value: unknown): Json =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Json;

const settled = (resource: Json): Json => ({ ...resource, updated_at: null, updatedAt: null });

/** What all checks share is walked in API checks; in others, one field of each object, which says that it is merged as well. */
function isWalked(id: string, field: readonly string[]): boolean {
  const [name = ''] = field;
  if (id === 'updateApiCheck' || !id.endsWith('Check') || !(name in shared)) return true;
  const inner: unknown = at(shared, field.slice(0, -1));
  return isObject(inner) && Object.keys(inner)[0] === field.at(-1);
}

test('the walk knows every resource that can be changed', () => {
  const puts = everyOperation().filter(({ method }) => method === 'PUT');
  const known = [...Object.keys(resources), ...flat];
  assert.deepEqual(
    puts.map(({ id }) => id).filter((id) => !known.includes(id)),
    [],
  );
});

for (const [id, { at: path, full, least }] of Object.entries(resources)) {
  test(`${id} loses no field of a nested object that was not named, and null resets one`, async () => {
    const [created, bare] = [await ask('POST', path, full), await ask('POST', path, least)];
    assert.deepEqual([created.status, bare.status], [201, 201], created.text + bare.text);
    const where = `${path}/${String(created.body.id)}`;
    const read = settled(created.body as Json);
    const isFixed = (name: string) => unset.includes(name) || (name === 'method' && id === 'updateUrlCheck');
    const sentBack = await ask('PUT', where, read);
    assert.deepEqual(settled(sentBack.body as Json), read, sentBack.text);
    const fields = nestedFields(read).filter((field) => !isFixed(field.at(-1) ?? '') && isWalked(id, field));
    assert.ok(fields.length > 0);
    for (const field of fields) {
      const value = at(read, field);
      assert.notDeepEqual(value, at(bare.body, field), `${field.join('.')} has its default`);
      const method = field.length % 2 === 0 ? 'PUT' : 'PATCH';
      const kept = await ask(method, where, naming(field, value));
      assert.equal(kept.status, 200, `${field.join('.')}: ${kept.text}`);
      assert.deepEqual(settled(kept.body as Json), read, `${field.join('.')} alone was named`);

      const reset = await ask('PATCH', where, naming(field, null), 'application/merge-patch+json');
      if (reset.status === 400) {
        assert.ok(field.join('.') in reset.body.attributes, `${field.join('.')}: ${reset.text}`);
        continue;
      }
      const back = at(reset.body, field);
      assert.notDeepEqual(back, value, `${field.join('.')} is reset`);
      const isDefault = back === undefined || !isObject(at(bare.body, field.slice(0, -1)));
      if (!isDefault) assert.deepEqual(back, at(bare.body, field));
      // A secret is read as a mask: what was written is written again.
      const restored = await ask('PUT', where, naming(field, at(full, field) ?? value));
      assert.deepEqual(settled(restored.body as Json), read, `${field.join('.')} is set again`);
    }
  });
}

test('the merged object is judged as a whole, and the refusal names the field', async () => {
  const make = async (path: string, body: object) => `${path}/${String((await ask('POST', path, body)).body.id)}`;
  const heartbeat = await make('/v1/checks/heartbeat', resources['updateHeartbeatCheck']?.least ?? {});
  const api = await make('/v1/checks/api', resources['updateApiCheck']?.least ?? {});
  for (const [path, body, field, message] of [
    [heartbeat, { heartbeat: { periodUnit: 'seconds' } }, 'heartbeat.period', /30 seconds/],
    [api, { retryStrategy: { maxRetries: 3 } }, 'retryStrategy.type', /must be one of/],
    [api, { request: { basicAuth: { username: 'u' } } }, 'request.basicAuth.password', /required/],
    [api, { request: { hedders: [] } }, 'request.hedders', /^unknown field; did you mean "headers"\?$/],
    [api, { request: { url: null } }, 'request.url', /./],
    [api, { request: { headers: { a: 1 } } }, 'request.headers', /array/],
  ] as const) {
    const { status, text, body: refused } = await ask('PATCH', path, body);
    assert.equal(status, 400, text);
    assert.match(String(refused.attributes[field]), message, text);
  }
  const strategy = await ask('PUT', api, { retryStrategy: { type: 'FIXED' } });
  assert.deepEqual(strategy.body.retryStrategy.maxRetries, 2, 'a strategy where there was none gets the defaults');
  await ask('PUT', api, { retryStrategy: { maxRetries: 5 } });
  const other = await ask('PUT', api, { retryStrategy: { type: 'LINEAR' } });
  assert.deepEqual([other.body.retryStrategy.type, other.body.retryStrategy.maxRetries], ['LINEAR', 5]);
  assert.equal((await ask('PUT', api, { retryStrategy: null })).body.retryStrategy, null);
});
