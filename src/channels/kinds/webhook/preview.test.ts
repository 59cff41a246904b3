// Preview and save warnings: templates that break for other values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { channelRules } from '../../rules.ts';
import type { TemplateVariables } from '#domain/deliveries/template-variables.ts';
import type { JsonObject } from '#domain/json.ts';

const variables = {
  CHECK_NAME: 'Shop',
  ALERT_TYPE: 'ALERT_FAILURE',
  CHECK_ID: 'c-1',
  CHECK_ERROR_MESSAGE: 'timeout',
  RESPONSE_TIME: 120,
  TAGS: ['a'],
  CHANNEL_NAME: 'ops',
};

const warningsOf = (
  config: JsonObject,
  values: TemplateVariables,
  secretNames = new Set<string>(),
  ofGroups = new Set<string>(),
) => channelRules.warnings('WEBHOOK', config, values, secretNames, ofGroups);

function warnings(template: string, values: TemplateVariables = variables): string[] {
  return warningsOf({ url: 'https://h/', template }, values, new Set(['TOKEN'])).map(
    ({ path, message }) => `${path}: ${message}`,
  );
}

test('warns about a body that is only valid for plain values, by variable', () => {
  const found = warnings('{"name": "{{{CHECK_NAME}}}", "id": "{{CHECK_ID}}", "error": "{{CHECK_ERROR_MESSAGE}}"}');
  assert.equal(found.length, 2);
  assert.match(
    found[0] ?? '',
    /^config\.template: .*when CHECK_NAME contains.*{{json CHECK_NAME}}.*{{jsonString CHECK_NAME}}/,
  );
  assert.match(found[1] ?? '', /when CHECK_ERROR_MESSAGE contains/);
});

test('tests account variables with hostile values, too', () => {
  assert.match(warnings('{"a": "{{CHANNEL_NAME}}"}')[0] ?? '', /when CHANNEL_NAME contains/);
});

test('finds problems although the previewed alert already breaks the body', () => {
  const found = warnings('{"name": "{{{CHECK_NAME}}}"}', { ...variables, CHECK_NAME: 'a "quoted" name' });
  assert.match(found[0] ?? '', /when CHECK_NAME contains/);
});

test('tests tags in a loop', () => {
  const found = warnings('[{{#each TAGS}}"{{this}}"{{#unless @last}},{{/unless}}{{/each}}]');
  assert.match(found[0] ?? '', /when TAGS contains.*{{json this}} inside each/);
});

test('warns about a number that may be missing', () => {
  assert.match(
    warnings('{"t": {{RESPONSE_TIME}} }')[0] ?? '',
    /when RESPONSE_TIME has no value.*{{default RESPONSE_TIME 0}}/,
  );
});

test('does not warn about safe bodies and bodies that are not JSON', () => {
  assert.deepEqual(
    warnings('{"n": {{json CHECK_NAME}}, "e": "{{jsonString CHECK_ERROR_MESSAGE}}", "t": {{json TAGS}} }'),
    [],
  );
  assert.deepEqual(warnings('{"id": "{{CHECK_ID}}", "t": {{default RESPONSE_TIME 0}} }'), []);
  assert.deepEqual(warnings('{{CHECK_NAME}} is "down"'), []);
});

test('reports an undefined variable once, with the closest name', () => {
  assert.deepEqual(warnings('{{CHECK_NAM}} {{CHECK_NAM}} {{#if ZZZZZZZZ}}{{/if}}'), [
    'config.template: CHECK_NAM is not defined and renders as empty text. Did you mean CHECK_NAME?',
    'config.template: ZZZZZZZZ is not defined and renders as empty text.',
  ]);
});

test('knows system variables without a value in the previewed alert', () => {
  assert.deepEqual(warnings('{{SSL_CHECK_DOMAIN}} {{GROUP_NAME}} {{$UUID}}'), []);
});

test('knows variables of a group, and warns if one alone breaks the JSON', () => {
  const of = (template: string) =>
    warningsOf({ url: 'https://h/', template }, variables, new Set(), new Set(['FLOOR'])).map(({ message }) => message);
  assert.deepEqual(of('{{FLOOR}} {"floor": {{json FLOOR}} }'), []);
  assert.match(of('{"floor": {{FLOOR}} }')[0] ?? '', /^The body is not valid JSON because of FLOOR/);
});

test('warns about a variable inside each without a path to the outer scope', () => {
  const found = warnings('{{#each TAGS}}{{CHECK_NAME}}{{../ALERT_TYPE}}{{this}}{{/each}}');
  assert.equal(found.length, 1);
  assert.match(found[0] ?? '', /write \.\.\/CHECK_NAME or @root\.CHECK_NAME/);
});

test('warns about secrets in every field', () => {
  const config = { url: 'https://h/{{TOKEN}}', headers: [{ key: 'a', value: '{{TOKEN}}' }] };
  const found = warningsOf(config, variables, new Set(['TOKEN']));
  assert.deepEqual(
    found.map(({ path }) => path),
    ['config.url', 'config.headers[0].value'],
  );
  assert.match(found[0]?.message ?? '', /TOKEN is a secret/);
});

function found(config: JsonObject, values: TemplateVariables = {}) {
  return warningsOf(config, { ...variables, ...values }, new Set());
}

const smallest: readonly (readonly [template: string, example: string, message: RegExp])[] = [
  [
    '{"a": "{{{CHECK_NAME}}}"}',
    '"',
    /contains a quotation mark\. Write {{json CHECK_NAME}} instead of the quotes and braces/,
  ],
  ['{"a": "{{CHECK_NAME}}"}', '\\', /contains a backslash, although quotation marks are escaped/],
  ['{"a": "in {{{CHECK_NAME}}} now"}', '"', /Write "{{jsonString CHECK_NAME}}" inside quotes/],
  ['{"a": {{#if CHECK_NAME}}"{{{replace CHECK_NAME \'"\' \'\'}}}"{{/if}} }', '\\', /contains a backslash/],
];
for (const [template, example, message] of smallest) {
  test(`shows the shortest value that breaks ${template}, its place and a fix`, () => {
    const [warning, ...rest] = found({ url: 'https://h/', template });
    assert.deepEqual(rest, []);
    assert.match(warning?.message ?? '', message);
    assert.equal(warning?.example, example);
    const start = template.indexOf('CHECK_NAME');
    assert.ok(warning?.line === 1 && Math.abs((warning.column ?? 0) - start) < 12);
  });
}

test('does not warn after the suggested fix', () => {
  assert.deepEqual(
    found({ url: 'https://h/', template: '{"a": {{json CHECK_NAME}} , "b": "in {{jsonString CHECK_NAME}}"}' }),
    [],
  );
});

const urls: readonly (readonly [config: JsonObject, example: string, message: RegExp])[] = [
  [
    { url: 'https://h/{{{CHECK_NAME}}}' },
    '/',
    /^The URL changes meaning when CHECK_NAME contains a slash: write {{urlencode CHECK_NAME}}/,
  ],
  [{ url: 'https://h/x?q={{{CHECK_NAME}}}' }, '&', /contains an ampersand/],
  [{ url: 'https://h/x?q={{CHECK_NAME}}' }, '&', /^Double braces turn & into &amp;/],
  [
    { url: 'https://h/{{urlencode (urlencode CHANNEL_NAME)}}' },
    'a b',
    /^CHANNEL_NAME is percent-encoded twice: write {{urlencode CHANNEL_NAME}} once/,
  ],
  [
    { url: 'https://h/', queryParameters: [{ key: 'q', value: '{{urlencode CHECK_NAME}}' }] },
    'a b',
    /^CHECK_NAME is percent-encoded twice: query values are encoded automatically: write {{{CHECK_NAME}}}/,
  ],
  [{ url: 'https://h/', queryParameters: [{ key: 'q', value: '{{CHECK_NAME}}' }] }, '&', /write {{{CHECK_NAME}}}/],
];
for (const [config, example, message] of urls) {
  test(`warns about wrong URL encoding: ${JSON.stringify(config)}`, () => {
    const [warning, ...rest] = found(config);
    assert.deepEqual(rest, []);
    assert.match(warning?.message ?? '', message);
    assert.equal(warning?.example, example);
  });
}

test('does not warn about correctly encoded URLs or account variables', () => {
  assert.deepEqual(found({ url: 'https://h/{{urlencode CHECK_NAME}}?q={{urlencode ALERT_TYPE}}' }), []);
  assert.deepEqual(found({ url: '{{{HOOK}}}' }, { HOOK: 'https://h/x?a=b&c=d' }), []);
  assert.deepEqual(found({ url: 'https://h/', queryParameters: [{ key: 'q', value: '{{{CHECK_NAME}}}' }] }), []);
});

test('warns about a body over the receiver’s limit, by host and by webhookType', () => {
  const template = '{"content": "{{jsonString CHECK_ERROR_MESSAGE}}"}';
  const discord = found({ url: 'https://discord.com/api/webhooks/1/x', template });
  assert.match(
    discord[0]?.message ?? '',
    /^Too long when CHECK_ERROR_MESSAGE has 4096 characters: content has 4096 characters; Discord accepts at most 2000\. Write {{truncate CHECK_ERROR_MESSAGE 500 '…'}}/,
  );
  const byType = found(
    { url: 'https://h/', template, webhookType: 'WEBHOOK_DISCORD' },
    { CHECK_ERROR_MESSAGE: 'x'.repeat(3000) },
  );
  assert.match(byType[0]?.message ?? '', /^Too long: content has 3000 characters; Discord accepts at most 2000\.$/);
  const teams = found({ url: 'https://h/', template: `{"a": "${'x'.repeat(30_000)}"}` });
  assert.match(
    teams[0]?.message ?? '',
    /^Too long: the body has 30009 bytes; well-known receivers accept at most 28672 bytes/,
  );
  assert.deepEqual(found({ url: 'https://h/', template }), []);
});

test('does not warn about a template that cannot be saved', () => {
  assert.deepEqual(warnings('{{#if X}}'), []);
});

const never: readonly (readonly [config: JsonObject, message: RegExp, place: string])[] = [
  [
    { template: '{"name": {{CHECK_NAME}} }' },
    /^The body is not valid JSON because of CHECK_NAME: expected a value at line 1, column 10 of the rendered body\. .*{{json CHECK_NAME}}/,
    '1:12',
  ],
  [
    { template: '{\n  "started": {{STARTED_AT}},\n  "id": {{json CHECK_ID}} }' },
    /because of STARTED_AT: expected a comma or } at line 2, column 18 of the rendered body\. .*{{json STARTED_AT}}/,
    '2:16',
  ],
  [
    { template: '[{{#each TAGS}}"{{this}}",{{/each}}]' },
    /^The body is not valid JSON: expected a value at line 1, column 6 of the rendered body\.$/,
    'undefined:undefined',
  ],
  [
    { template: '{"a": {{json CHECK_NAME}},}' },
    /^The body is not valid JSON: expected a quoted name at line 1, column 14 of the rendered body\.$/,
    'undefined:undefined',
  ],
  [
    { template: 'name={{CHECK_ID}}', headers: [{ key: 'Content-Type', value: 'application/json; charset=utf-8' }] },
    /^The body is not valid JSON: expected a value at line 1, column 1 of the rendered body\.$/,
    'undefined:undefined',
  ],
  [
    { template: '{"domain": {{SSL_CHECK_DOMAIN}} }' },
    /because of SSL_CHECK_DOMAIN: .*{{json SSL_CHECK_DOMAIN}}/,
    '1:14',
  ],
];
for (const [config, message, place] of never) {
  test(`warns about invalid JSON with its place: ${JSON.stringify(config['template'])}`, () => {
    const warned = found({ url: 'https://h/', ...config }, { STARTED_AT: '2026-03-10T12:00:05.000Z' });
    const [warning, ...rest] = warned.filter(({ message: said }) => said.includes('JSON'));
    assert.deepEqual(rest, []);
    assert.match(warning?.message ?? '', message);
    assert.equal(`${warning?.line}:${warning?.column}`, place);
  });
}

test('does not treat a sentence as JSON, even in brackets', () => {
  for (const template of [
    '[{{ALERT_TYPE}}] {{CHECK_NAME}} is down',
    '{{#if NOBODY}}{}{{/if}}',
    '{{CHECK_NAME}}: {"a"',
  ]) {
    assert.deepEqual(
      found({ url: 'https://h/', template }).filter(({ message }) => message.includes('JSON')),
      [],
    );
  }
});

test('says if the time limit skipped some warnings', () => {
  const names = Array.from({ length: 400 }, (_, index) => `NAME_${index}`);
  const values = Object.fromEntries(names.map((name) => [name, 'x']));
  const list = Array.from({ length: 90 }, (_, index) => `tag ${index}`);
  const slow = '{{#each LIST}}{{#each ../LIST}}{{/each}}{{/each}}';
  const template = `[${names.map((name) => `{{json ${name}}},`).join('')}"${slow}"]`;
  const warned = found({ url: 'https://h/', template }, { ...values, LIST: list });
  assert.deepEqual(
    warned.map(({ path }) => path),
    ['config.template'],
  );
  assert.match(
    warned[0]?.message ?? '',
    /^Not all variables could be tested with other values .*Warnings may be missing\.$/,
  );
});
