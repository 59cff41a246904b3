// Warnings in the answers of writes: settings that are accepted and cannot have the wished effect.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Reply, resourcesUnderTest } from './resources-under-test.ts';

const url = 'https://shop.example/';
const assertion = (source: string, comparison: string, target: string, property = '') => ({
  source,
  comparison,
  property,
  target,
});
const status = (comparison: string, target: string) => assertion('STATUS_CODE', comparison, target);

type Case = readonly [path: string, body: object, warnings: readonly (readonly [path: string, message: RegExp])[]];

const api = (request: object, more: object = {}) => ({
  name: 'A',
  request: { method: 'GET', url, ...request },
  ...more,
});
const first = 'request.assertions[0]';

const cases: readonly Case[] = [
  ['/v1/checks/api', api({ assertions: [status('EQUALS', '404')] }), [[first, /shouldFail/]]],
  ['/v1/checks/api', api({ assertions: [status('EQUALS', '404')] }, { shouldFail: true }), []],
  ['/v1/checks/api', api({ assertions: [status('EQUALS', '200')] }), []],
  ['/v1/checks/api', api({ assertions: [status('GREATER_THAN', '399')] }), [[first, /shouldFail/]]],
  ['/v1/checks/api', api({ assertions: [status('LESS_THAN', '500')] }), [[first, /shouldFail/]]],
  ['/v1/checks/api', api({ assertions: [status('LESS_THAN', '400')] }), []],
  ['/v1/checks/api', api({ assertions: [status('EQUALS', '99.5')] }), [[first, /never holds/]]],
  ['/v1/checks/api', api({ assertions: [status('EQUALS', '301')] }), [[first, /followRedirects/]]],
  ['/v1/checks/api', api({ assertions: [status('EQUALS', '301')], followRedirects: false }), []],
  [
    '/v1/checks/api',
    api({ assertions: [status('EQUALS', '200'), status('EQUALS', '201')] }),
    [['request.assertions[1]', /contradicts request\.assertions\[0\]/]],
  ],
  [
    '/v1/checks/api',
    api({ method: 'HEAD', assertions: [assertion('TEXT_BODY', 'CONTAINS', 'ok')] }),
    [[first, /HEAD has none/]],
  ],
  [
    '/v1/checks/api',
    api({ method: 'HEAD', assertions: [assertion('JSON_BODY', 'EQUALS', 'ok', '$.a')] }),
    [[first, /HEAD has none/]],
  ],
  [
    '/v1/checks/api',
    api({ assertions: [assertion('RESPONSE_TIME', 'LESS_THAN', '25000')] }),
    [[first, /maxResponseTime \(20000 ms\)/]],
  ],
  [
    '/v1/checks/api',
    api(
      { assertions: [assertion('RESPONSE_TIME', 'GREATER_THAN', '4000')] },
      { maxResponseTime: 4000, degradedResponseTime: 1 },
    ),
    [[first, /can never pass/]],
  ],
  [
    '/v1/checks/api',
    api({ assertions: [assertion('JSON_BODY', 'GREATER_THAN', '2', '$.items.length')] }),
    [[first, /use count\(\$\.items\[\*\]\)/]],
  ],
  ['/v1/checks/api', api({ assertions: [assertion('JSON_BODY', 'GREATER_THAN', '2', 'count($.items[*])')] }), []],
  ['/v1/checks/api', api({ assertions: [assertion('TEXT_BODY', 'CONTAINS', '2', 'a.length')] }), []],
  ['/v1/checks/api', api({ assertions: [assertion('TEXT_BODY', 'CONTAINS', '')] }), [[first, /^always holds: /]]],
  ['/v1/checks/api', api({ assertions: [assertion('TEXT_BODY', 'NOT_CONTAINS', '')] }), [[first, /^never holds: /]]],
  ['/v1/checks/api', api({ assertions: [assertion('TEXT_BODY', 'CONTAINS', '', 'v\\d')] }), [[first, /for a text: /]]],
  ['/v1/checks/api', api({ assertions: [assertion('JSON_BODY', 'CONTAINS', '', '$.a')] }), [[first, /for a text: /]]],
  ['/v1/checks/api', api({ assertions: [assertion('TEXT_BODY', 'EQUALS', '')] }), []],
  ['/v1/checks/api', api({ assertions: [assertion('HEADERS', 'CONTAINS', 'x')] }), [[first, /header has this name/]]],
  ['/v1/checks/api', api({ assertions: [assertion('HEADERS', 'EQUALS', 'x')] }), [[first, /all headers together/]]],
  ['/v1/checks/api', api({ assertions: [assertion('HEADERS', 'HAS_KEY', 'x')] }), []],
  ['/v1/checks/api', api({ assertions: [assertion('HEADERS', 'CONTAINS', 'x', 'age')] }), []],
  ['/v1/checks/api', api({ method: 'POST', body: '{}' }), [['request.body', /bodyType is NONE/]]],
  [
    '/v1/checks/api',
    api({
      headers: [{ key: 'authorization', value: 'Bearer x' }],
      basicAuth: { username: 'u', password: 'p' },
    }),
    [['request.basicAuth', /request\.headers\[0\]/]],
  ],
  ['/v1/checks', { ...api({ assertions: [status('EQUALS', '500')] }), checkType: 'API' }, [[first, /shouldFail/]]],
  ['/v1/checks/url', { name: 'U', request: { url, assertions: [status('EQUALS', '404')] } }, [[first, /shouldFail/]]],
  [
    '/v1/checks/tcp',
    {
      name: 'T',
      request: { hostname: 'a.example', port: 1, assertions: [assertion('RESPONSE_TIME', 'LESS_THAN', '6000')] },
    },
    [[first, /5000 ms/]],
  ],
  [
    '/v1/checks/dns',
    {
      name: 'D',
      request: { query: 'a.example', recordType: 'A', assertions: [assertion('RESPONSE_TIME', 'LESS_THAN', '2000')] },
    },
    [[first, /1000 ms/]],
  ],
  [
    '/v1/checks/icmp',
    { name: 'I', request: { hostname: 'a.example', assertions: [assertion('JSON_RESPONSE', 'CONTAINS', '', '$.a')] } },
    [[first, /the target is empty/]],
  ],
  [
    '/v1/checks/ssl',
    { name: 'S', sslConfig: { hostname: 'a.example', assertions: [assertion('RESPONSE_TIME', 'EQUALS', '20000')] } },
    [['sslConfig.assertions[0]', /10000 ms/]],
  ],
  [
    '/v2/check-groups',
    { name: 'G', apiCheckDefaults: { assertions: [status('EQUALS', '503')] } },
    [['apiCheckDefaults.assertions[0]', /shouldFail/]],
  ],
];

test('settings that have no effect beside others are warned about, for every type of check', async () => {
  await using resources = resourcesUnderTest();
  const strategy = { type: 'FIXED', baseBackoffSeconds: 60, maxDurationSeconds: 30 };
  const heartbeat = { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours' };
  const reminding = { reminders: { amount: 2, interval: 5 } };
  const parallel = { parallelRunFailureThreshold: { enabled: true, percentage: 50 } };
  const head = { method: 'HEAD' };
  const defaults = { assertions: [assertion('TEXT_BODY', 'CONTAINS', 'ok')] };
  const group = (await resources.ask('POST', '/v2/check-groups', { name: 'G', apiCheckDefaults: defaults })).body.id;
  for (const [path, body, expected] of [
    ['/v1/checks/api', api({}, { retryStrategy: strategy }), ['retryStrategy.maxDurationSeconds']],
    ['/v1/checks/api', api({}, { retryStrategy: { ...strategy, maxDurationSeconds: 60 } }), []],
    ['/v1/checks/heartbeat', { name: 'H', heartbeat, retryStrategy: { type: 'FIXED' } }, ['retryStrategy']],
    ['/v1/checks/api', api({}, { alertSettings: reminding }), ['alertSettings']],
    ['/v1/checks/api', api({}, { alertSettings: { escalationType: 'RUN_BASED' } }), []],
    ['/v1/checks/api', api({}, { alertSettings: reminding, useGlobalAlertSettings: false }), []],
    [
      '/v1/checks/api',
      api({}, { alertSettings: parallel, useGlobalAlertSettings: false }),
      ['alertSettings.parallelRunFailureThreshold'],
    ],
    ['/v1/checks/api', api({}, { runParallel: true, locations: ['local'] }), ['runParallel']],
    ['/v1/checks/api', api({}, { runParallel: true, locations: ['local', 'eu-west-1'] }), []],
    ['/v1/checks/api', api(head, { groupId: group }), ['apiCheckDefaults.assertions[0]']],
    ['/v1/checks/api', api({}, { groupId: group }), []],
  ] as const) {
    const { body: made, text } = await resources.ask('POST', path, body);
    const warnings = (made.warnings ?? []) as { path: string }[];
    assert.deepEqual(
      warnings.map((warning) => warning.path),
      expected,
      text,
    );
  }
});

test('a channel without any alert type is saved with a warning', async () => {
  await using resources = resourcesUnderTest();
  const channel = { type: 'WEBHOOK', config: { url: 'https://hooks.example/' } };
  const created = await resources.ask('POST', '/v1/alert-channels', channel);
  const paths = ({ body }: Reply) => ((body.warnings ?? []) as { path: string }[]).map(({ path }) => path);
  assert.deepEqual(paths(created), ['subscriptions']);
  const change = (body: object) => resources.ask('PUT', `/v1/alert-channels/${created.body.id}`, body);
  assert.deepEqual(paths(await change({ autoSubscribe: true })), []);
  assert.deepEqual(paths(await change({ sendFailure: false, sendRecovery: false })), ['sendFailure']);
});

test('what cannot have the wished effect is accepted with a warning, on create and on update', async () => {
  await using resources = resourcesUnderTest();
  for (const [path, body, expected] of cases) {
    const created = await resources.ask('POST', path, body);
    assert.equal(created.status, 201, created.text);
    const warnings = (created.body.warnings ?? []) as { path: string; message: string }[];
    const where = JSON.stringify(body);
    assert.deepEqual(
      warnings.map((warning) => warning.path),
      expected.map(([place]) => place),
      where,
    );
    for (const [index, [, message]] of expected.entries()) assert.match(warnings[index]?.message ?? '', message, where);

    const changed = await resources.ask('PUT', `${path}/${created.body.id}`, { tags: ['x'] });
    assert.deepEqual(changed.body.warnings, created.body.warnings, 'an update says it again');
    const read = await resources.ask(
      'GET',
      path.includes('groups') ? `/v1/check-groups/${created.body.id}` : `/v1/checks/${created.body.id}`,
    );
    assert.equal(read.body.warnings, undefined, 'a read does not');
  }
});
