// A missing variable is a problem of the settings: the target is not probed and not blamed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { JsonObject } from '#domain/json.ts';
import { groupWith } from '../../tests/support/checks/api-check.ts';
import { probeOnce, verdictOf } from '../../tests/support/checks/api-probe.ts';
import { probeKind } from '../../tests/support/checks/kind-probe.ts';
import { startTarget } from '../../tests/support/targets/target.ts';

const assertion = { comparison: 'CONTAINS', property: '', target: '{{GONE}}' };
const body = { source: 'TEXT_BODY', ...assertion };

test('an API check with a missing variable anywhere is unknown and sends nothing', async (t) => {
  let asked = 0;
  const { url } = await startTarget(t, (_request, response) => {
    asked++;
    response.end('ok');
  });
  const cases: readonly (readonly [string, JsonObject, JsonObject?])[] = [
    ['request.url', { url: `${url}/{{GONE}}` }],
    ['request.headers[0].value', { url, headers: [{ key: 'a', value: '{{ GONE }}', locked: false }] }],
    ['request.headers[0].key', { url, headers: [{ key: '{{{GONE}}}', value: 'a', locked: false }] }],
    ['request.queryParameters[0].value', { url, queryParameters: [{ key: 'a', value: '{{GONE}}', locked: false }] }],
    ['request.body', { url, method: 'POST', bodyType: 'JSON', body: '{"a": "{{GONE}}"}' }],
    ['request.basicAuth.password', { url, basicAuth: { username: 'u', password: '{{GONE}}' } }],
    ['request.assertions[0].target', { url, assertions: [body] }],
    ['request.assertions[0].property', { url, assertions: [{ ...body, source: 'JSON_BODY', property: '$.{{GONE}}' }] }],
    ['request.assertions[0].regex', { url, assertions: [{ ...body, target: 'o', regex: '{{GONE}}' }] }],
    ['sslCheckDomain', { url }, { sslCheckDomain: '{{GONE}}' }],
  ];
  for (const [path, request, settings] of cases) {
    const finding = await probeOnce({ method: 'GET', ...request }, settings ? { settings } : {});
    assert.equal(verdictOf(finding), 'unknown settings', path);
    assert.ok(
      finding.message?.startsWith(`${path} uses {{GONE}}, which is not defined`),
      `${path}: ${finding.message}`,
    );
  }
  assert.equal(asked, 0);

  const unsent = await probeOnce({ method: 'GET', url, bodyType: 'NONE', body: '{{GONE}}' });
  assert.equal(unsent.verdict, 'passed', 'a body that is not sent needs no variable');
  const variables = [{ key: 'GONE', value: '', locked: false, secret: false }];
  const defined = await probeOnce({ method: 'GET', url, assertions: [body] }, { variables });
  assert.equal(defined.verdict, 'passed', 'an empty value is a value');
});

test('a variable in a regular expression is part of its pattern', async (t) => {
  const { url } = await startTarget(t, (_request, response) => void response.end('version 12.3'));
  for (const [value, expected] of [
    ['\\d+', 'passed'],
    ['[0-4]+', 'passed'],
    ['x', 'failed assertion'],
    ['(', 'failed settings'],
    ['{{OTHER}}', 'failed assertion'],
  ] as const) {
    const assertions = [{ ...body, comparison: 'EQUALS', target: '12', regex: 'version ({{N}})' }];
    const variables = ['N', 'OTHER'].map((key) => ({ key, value, locked: true, secret: false }));
    const finding = await probeOnce({ method: 'GET', url, assertions }, { variables });
    assert.equal(verdictOf(finding), expected, value);
  }
});

test('group defaults need their variables, too, unless the check overrides them', async (t) => {
  let asked = 0;
  const { url } = await startTarget(t, (_request, response) => {
    asked++;
    response.end('ok');
  });
  const pair = (value: string) => ({ key: 'X-Token', value, locked: false });
  const group = (apiCheckDefaults: JsonObject): CheckGroup => groupWith(apiCheckDefaults);
  for (const [path, defaults, request] of [
    ['apiCheckDefaults.headers[0].value', { headers: [pair('{{GONE}}')] }, { url }],
    ['apiCheckDefaults.queryParameters[0].value', { queryParameters: [pair('{{GONE}}')] }, { url }],
    ['apiCheckDefaults.assertions[0].target', { assertions: [body] }, { url }],
    ['apiCheckDefaults.basicAuth.username', { basicAuth: { username: '{{GONE}}', password: 'p' } }, { url }],
    ['apiCheckDefaults.url', { url: `${url}{{GONE}}` }, { url: '{{GROUP_BASE_URL}}/' }],
    ['request.url', {}, { url: '{{GROUP_BASE_URL}}/' }],
  ] as const) {
    const finding = await probeOnce({ method: 'GET', ...request }, { group: group(defaults) });
    assert.deepEqual(
      [verdictOf(finding), finding.message?.startsWith(`${path} uses {{G`)],
      ['unknown settings', true],
      path,
    );
  }
  assert.equal(asked, 0);
  const overridden = await probeOnce(
    { method: 'GET', url, headers: [{ ...pair('x'), key: 'x-token' }], basicAuth: { username: 'u', password: 'p' } },
    {
      group: group({
        headers: [pair('{{GONE}}')],
        basicAuth: { username: '{{GONE}}', password: '' },
        url: '{{GONE}}',
      }),
    },
  );
  assert.equal(verdictOf(overridden), 'passed');
});

test('applies to every other check type', async () => {
  const request = { hostname: '127.0.0.1', port: 1 };
  for (const [type, path, settings] of [
    ['URL', 'request.url', { request: { url: 'http://{{GONE}}/' } }],
    [
      'URL',
      'request.assertions[0].target',
      {
        request: {
          url: 'http://127.0.0.1:1/',
          assertions: [{ ...assertion, source: 'STATUS_CODE', comparison: 'EQUALS' }],
        },
      },
    ],
    ['TCP', 'request.data', { request: { ...request, data: '{{GONE}}' } }],
    [
      'TCP',
      'request.assertions[0].target',
      { request: { ...request, assertions: [{ ...assertion, source: 'RESPONSE_DATA' }] } },
    ],
    ['DNS', 'request.query', { request: { query: '{{GONE}}.test', recordType: 'A' } }],
    ['DNS', 'request.nameServer', { request: { query: 'a.test', recordType: 'A', nameServer: '{{GONE}}' } }],
    ['ICMP', 'request.hostname', { request: { hostname: '{{GONE}}' } }],
    ['SSL', 'sslConfig.hostname', { sslConfig: { hostname: '{{GONE}}' } }],
    ['SSL', 'sslConfig.serverName', { sslConfig: { hostname: '127.0.0.1', serverName: '{{GONE}}' } }],
  ] as const) {
    const finding = await probeKind(type, settings);
    assert.equal(verdictOf(finding), 'unknown settings', `${type} ${path}`);
    assert.ok(finding.message?.startsWith(`${path} uses {{GONE}}`), finding.message ?? '');
  }
});
