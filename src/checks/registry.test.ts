// Check kinds through the registry.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { apiCheck } from '../../tests/support/checks/api-check.ts';
import { exchangeOf, probeOnce } from '../../tests/support/checks/api-probe.ts';
import { startTarget } from '../../tests/support/targets/target.ts';
import { checkKinds, kindOf } from './check-kinds.ts';
import type { CheckShow } from './show.ts';
import * as forms from './forms.ts';
import * as shows from './shows.ts';

test('rejects invalid API check settings with path and advice', () => {
  const problems = (request: JsonObject, settings: JsonObject = {}) =>
    kindOf('API')
      .validateSettings(apiCheck(request, settings).settings)
      .map(({ path, message }) => `${path}: ${message}`);
  const assertion = (facts: JsonObject) => [{ source: 'JSON_BODY', comparison: 'EQUALS', target: '1', ...facts }];
  const cases: readonly (readonly [JsonObject, RegExp | null])[] = [
    [{ url: 'https://example.test/a?b=c' }, null],
    [{ url: '{{BASE}}/path' }, null],
    [{ url: 'http://{{HOST}}:{{PORT}}/x' }, null],
    [{ url: 'http://a b/{{PATH}}' }, /^request\.url: ".*" is not a valid URL/],
    [
      {
        url: 'http://a.test',
        headers: [
          { key: 'ok', value: '' },
          { key: 'not ok', value: '' },
        ],
      },
      /^request\.headers\[1\]\.key/,
    ],
    [{ url: 'http://a.test', headers: [{ key: 'Content-Length', value: '3' }] }, /set by Tocsin/],
    [
      { url: 'http://a.test', assertions: assertion({ property: '$.a[' }) },
      /^request\.assertions\[0\]: "\$\.a\[" is not a JSON path/,
    ],
    [{ url: 'http://a.test', assertions: assertion({ property: '$.{{KEY}}' }) }, null],
    [{ url: 'http://a.test', assertions: assertion({ regex: 'a' }) }, /does not take a regex/],
    [{ url: 'http://a.test', assertions: assertion({ source: 'TEXT_BODY', regex: '(' }) }, /not a regular expression/],
    [{ url: 'http://a.test', assertions: assertion({ source: 'STATUS_CODE', target: 'ok' }) }, /needs a number/],
    [{ url: 'http://a.test', assertions: assertion({ source: 'STATUS_CODE', target: '{{OK}}' }) }, null],
  ];
  for (const [request, expected] of cases) {
    const found = problems(request);
    if (expected === null) assert.deepEqual(found, []);
    else assert.match(found.join('\n'), expected);
    assert.equal(found.length, expected === null ? 0 : 1);
  }
  const limits = { degradedResponseTime: 30_000, maxResponseTime: 20_000 };
  assert.match(problems({ url: 'http://a.test' }, limits).join(), /^degradedResponseTime: 30000 exceeds/);
});

test('describes a result with and without its exchange, and its facts for alerts', async (t) => {
  const target = await startTarget(t, (_, response) => response.writeHead(503, { 'x-a': '1' }).end('down'));
  const assertions = [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }];
  const finding = await probeOnce({ url: target.url, assertions });
  const full = kindOf('API').describeResult(finding, exchangeOf(finding)) as Record<string, JsonObject>;
  assert.equal(full['request']?.['url'], `${target.url}/`);
  assert.equal(full['response']?.['status'], 503);
  assert.equal(full['response']['body'], 'down');
  assert.equal(full['requestError'], null);
  const short = kindOf('API').describeResult(finding, null) as Record<string, JsonObject>;
  assert.equal(short['request'], null);
  assert.deepEqual([short['response']?.['status'], short['response']?.['statusText']], [503, 'Service Unavailable']);
  assert.deepEqual(short['assertions'], full['assertions']);
  assert.match(JSON.stringify(short['assertions']), /expected status code to equal 200, got 503/);
  const facts = kindOf('API').alertFacts(apiCheck({ url: target.url }), finding.details);
  assert.deepEqual(facts, { url: target.url, status: 503, statusText: 'Service Unavailable' });
  const silent = kindOf('API').describeResult({ details: null, message: 'no answer', reason: 'timeout' }, null);
  assert.equal(silent['requestError'], 'no answer');
});

test('every kind says how it is shown and filled in', () => {
  const types = checkKinds.map(({ schema }) => schema.type);
  for (const described of [Object.values(shows), Object.values(forms)]) {
    assert.deepEqual(described.map(({ type }) => type).toSorted(), types);
  }
});

test('what a check requests reads as a line', () => {
  const { urlShow, tcpShow, dnsShow, icmpShow, sslShow } = shows;
  const target = (show: CheckShow, settings: object) => show.request?.({ ...settings }).target;
  const url = { request: { method: 'GET', url: 'https://shop.example/' } };
  assert.equal(target(urlShow, url), 'GET https://shop.example/');
  assert.equal(target(tcpShow, { request: { hostname: '::1', port: 5432 } }), '[::1]:5432');
  assert.equal(target(sslShow, { sslConfig: { hostname: 'shop.example', port: 443 } }), 'shop.example:443');
  assert.equal(target(icmpShow, { request: { hostname: '::1' } }), '::1');
  const query = { query: 'shop.example', recordType: 'MX', nameServer: null, port: 53 };
  assert.equal(target(dnsShow, { request: query }), 'shop.example MX');
  assert.equal(target(dnsShow, { request: { ...query, nameServer: 'ns' } }), 'shop.example MX at ns');
});
