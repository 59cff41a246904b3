// Accepted and rejected webhook configurations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '#domain/json.ts';
import { forgetTemplates, isCompiled } from '../../templates/compile.ts';
import { channelRules } from '../../rules.ts';
import { webhookConfig } from './schema.ts';

const secrets = new Set(['API_TOKEN']);

function issues(config: JsonObject): string[] {
  return channelRules
    .validateConfig('WEBHOOK', { url: 'https://example.com/', ...config }, secrets)
    .map(({ path, message, line, column }) => `${path}${line === undefined ? '' : `:${line}:${column}`} ${message}`);
}

test('accepts a complete configuration', () => {
  const pair = { key: 'X-Api-Key', value: '{{KEY}}', locked: true };
  const config = {
    name: 'hook',
    url: 'https://{{HOST}}:{{PORT}}/{{uppercase CHECK_NAME}}?x=1',
    method: 'patch',
    template: '{{json CHECK_NAME}}',
    headers: [pair, { key: 'Authorization', value: 'Bearer x' }],
    queryParameters: [{ key: 'a b', value: '' }],
    webhookType: null,
  };
  assert.deepEqual(issues(config), []);
  assert.deepEqual(issues({ template: null, headers: [], queryParameters: [] }), []);
});

for (const url of [
  'http://h/',
  'HTTPS://h',
  '{{URL}}',
  '{{{URL}}}/x',
  '{{ $UUID }}x',
  'https://{{KEY}}@h/',
  'https://ingress.{{DOMAIN}}/',
  'https://ingress.{{DOMAIN}}:{{PORT}}/',
  ' https://h/ ',
]) {
  test(`accepts the URL ${JSON.stringify(url)}`, () => assert.deepEqual(issues({ url }), []));
}

for (const url of [
  '',
  '  ',
  'ftp://h/',
  'h/path',
  '/x',
  '{{#if A}}https://h{{/if}}',
  'https://',
  'http://a b/',
  5,
  null,
]) {
  test(`rejects the URL ${JSON.stringify(url)}`, () => {
    const found = issues({ url });
    assert.equal(found.length, 1);
    assert.match(found[0] ?? '', /^config\.url /);
  });
}

test('accepts the seven methods in any case and rejects others', () => {
  const isAccepted = (method: unknown) => webhookConfig.safeParse({ url: 'https://h/', method }).success;
  assert.ok(['get', 'Post', 'PUT', 'patch', 'HEAD', 'delete', 'options'].every(isAccepted));
  assert.ok(!['TRACE', 'CONNECT', '', 5].some(isAccepted));
});

test('rejects headers of the connection and of the service', () => {
  const keys = [
    'Host',
    'content-length',
    'Transfer-Encoding',
    'CONNECTION',
    'x-service-signature',
    'X-Service-Anything',
    'Upgrade',
    'Expect',
  ];
  const found = issues({ headers: keys.map((key) => ({ key, value: 'x' })) });
  assert.deepEqual(
    found.map((issue) => issue.split(' ').slice(0, 2).join(' ')),
    keys.map((key, index) => `config.headers[${index}].key ${key}`),
  );
});

test('rejects invalid header names', () => {
  for (const key of ['a b', 'a:b', 'ä', '', 'a\r\nb', '{{NAME}}']) {
    assert.match(
      issues({ headers: [{ key, value: 'x' }] })[0] ?? '',
      /^config\.headers\[0\]\.key must be a valid header name/,
    );
  }
});

test('reports every invalid template with field, line and column', () => {
  const found = issues({
    url: 'https://h/{{foo 1}}',
    template: 'x\n{{#if A}}',
    headers: [{ key: 'a', value: '{{upercase B}}' }],
    queryParameters: [{ key: 'b', value: '{{X' }],
  });
  assert.deepEqual(found, [
    'config.url:1:11 unknown helper foo',
    'config.template:2:1 {{#if A}} is never closed: add {{/if}}',
    'config.headers[0].value:1:1 unknown helper upercase (did you mean uppercase?)',
    'config.queryParameters[0].value:1:1 this tag is never closed: end it with }}',
  ]);
});

test('rejects a template with a secret in every field', () => {
  const message =
    'API_TOKEN is a secret, and alert templates cannot use secrets. Use a variable that is not secret; if it is locked, logs hide its value';
  const found = issues({
    url: 'https://h/{{API_TOKEN}}',
    template: '{{#each TAGS}}{{@root.API_TOKEN}}{{/each}}{{lookup this "API_TOKEN"}}',
    headers: [{ key: 'Authorization', value: 'Bearer {{{API_TOKEN}}}', locked: true }],
    queryParameters: [{ key: 'k', value: '{{default X API_TOKEN}}' }],
  });
  assert.deepEqual(found, [
    `config.url:1:13 ${message}`,
    `config.template:1:17 ${message}`,
    `config.template:1:57 ${message}`,
    `config.headers[0].value:1:11 ${message}`,
    `config.queryParameters[0].value:1:13 ${message}`,
  ]);
});

const fields = (count: number, value: string) =>
  Array.from({ length: count }, (_, index) => ({ key: `x-${index}`, value }));
const together = 'URL, body, headers and query parameters together have';
const shorten = 'shorten this template or an earlier one';
const tooMuch: Readonly<Record<string, readonly [config: JsonObject, issue: string]>> = {
  'more text': [
    { template: 'x'.repeat(30 * 1024), queryParameters: fields(3, 'y'.repeat(1000)) },
    `config.queryParameters[2].value:1:1 ${together} more than 32 kB of templates: ${shorten}`,
  ],
  'more expressions': [
    { template: '{{A}}'.repeat(400), headers: fields(60, '{{A}}{{B}}') },
    `config.headers[50].value:1:1 ${together} more than 500 expressions and blocks: ${shorten}`,
  ],
  'more names and figures': [
    { headers: fields(100, `{{and ${'A '.repeat(24)}}}`), url: 'https://example.com/{{A}}' },
    `config.headers[76].value:1:1 ${together} more than 2000 names, strings and numbers inside braces: ${shorten}`,
  ],
};
for (const [what, [config, issue]] of Object.entries(tooMuch)) {
  test(`rejects a channel with ${what} beyond the limit of one template, at the first field over it`, () => {
    assert.deepEqual(issues(config), [issue]);
  });
}

test('rejects a channel with too many fields without compiling more than one template’s worth', () => {
  forgetTemplates();
  const values = Array.from({ length: 200 }, (_, index) => `{{#if A}}${'{{B}}'.repeat(300)}${index}{{/if}}`);
  const pairs = values.map((value, index) => ({ key: `x-${index}`, value }));
  assert.equal(issues({ headers: pairs }).length, 1);
  assert.equal(values.filter(isCompiled).length, 1);
});

test('still renders a stored channel over the limit, without an error', () => {
  const stored = { url: 'https://example.com/', headers: fields(200, '{{A}}{{B}}{{C}}') };
  assert.equal(issues(stored).length, 1);
  assert.deepEqual(channelRules.storedFaults('WEBHOOK', stored), []);
});

test('also reports invalid fields before the one over the limit', () => {
  const config = { template: '{{#if A}}', headers: fields(5, 'y'.repeat(8000)) };
  assert.deepEqual(issues(config), [
    'config.template:1:1 {{#if A}} is never closed: add {{/if}}',
    `config.headers[4].value:1:1 ${together} more than 32 kB of templates: ${shorten}`,
  ]);
});
