// Warnings about a webhook that is saved or previewed: what would break with other values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { warnAboutWebhook } from './preview.ts';

const variables = {
  CHECK_NAME: 'Shop',
  ALERT_TYPE: 'ALERT_FAILURE',
  CHECK_ID: 'c-1',
  CHECK_ERROR_MESSAGE: 'timeout',
  RESPONSE_TIME: 120,
  TAGS: ['a'],
  CHANNEL_NAME: 'ops',
};

function warnings(template: string, values: Parameters<typeof warnAboutWebhook>[1] = variables): string[] {
  return warnAboutWebhook({ url: 'https://h/', template }, values, new Set(['TOKEN'])).map(
    ({ path, message }) => `${path}: ${message}`,
  );
}

test('a body that only plain values keep valid is warned of, by the variable', () => {
  const found = warnings('{"name": "{{{CHECK_NAME}}}", "id": "{{CHECK_ID}}", "error": "{{CHECK_ERROR_MESSAGE}}"}');
  assert.equal(found.length, 2);
  assert.match(
    found[0] ?? '',
    /^config\.template: .*when CHECK_NAME holds.*{{json CHECK_NAME}}.*{{jsonString CHECK_NAME}}/,
  );
  assert.match(found[1] ?? '', /when CHECK_ERROR_MESSAGE holds/);
});

test('a variable of the account is tried with hostile values too', () => {
  assert.match(warnings('{"a": "{{CHANNEL_NAME}}"}')[0] ?? '', /when CHANNEL_NAME holds/);
});

test('it is found although the previewed alert already breaks the body', () => {
  const found = warnings('{"name": "{{{CHECK_NAME}}}"}', { ...variables, CHECK_NAME: 'a "quoted" name' });
  assert.match(found[0] ?? '', /when CHECK_NAME holds/);
});

test('tags in a loop are tried as well', () => {
  const found = warnings('[{{#each TAGS}}"{{this}}"{{#unless @last}},{{/unless}}{{/each}}]');
  assert.match(found[0] ?? '', /when TAGS holds.*{{json this}} inside each/);
});

test('a figure that may be missing is warned of', () => {
  assert.match(
    warnings('{"t": {{RESPONSE_TIME}} }')[0] ?? '',
    /when there is no RESPONSE_TIME.*{{default RESPONSE_TIME 0}}/,
  );
});

test('bodies that embed safely, or are no JSON, bring no warning', () => {
  assert.deepEqual(
    warnings('{"n": {{json CHECK_NAME}}, "e": "{{jsonString CHECK_ERROR_MESSAGE}}", "t": {{json TAGS}} }'),
    [],
  );
  assert.deepEqual(warnings('{"id": "{{CHECK_ID}}", "t": {{default RESPONSE_TIME 0}} }'), []);
  assert.deepEqual(warnings('{{CHECK_NAME}} is "down"'), []);
});

test('a variable that nobody defines is named once, with the nearest one', () => {
  assert.deepEqual(warnings('{{CHECK_NAM}} {{CHECK_NAM}} {{#if ZZZZZZZZ}}{{/if}}'), [
    'config.template: Nobody defines CHECK_NAM: it renders as nothing. Did you mean CHECK_NAME?',
    'config.template: Nobody defines ZZZZZZZZ: it renders as nothing.',
  ]);
});

test('system variables that the alert has no value for are known', () => {
  assert.deepEqual(warnings('{{SSL_CHECK_DOMAIN}} {{GROUP_NAME}} {{$UUID}}'), []);
});

test('a variable used inside each without a way up is warned of', () => {
  const found = warnings('{{#each TAGS}}{{CHECK_NAME}}{{../ALERT_TYPE}}{{this}}{{/each}}');
  assert.equal(found.length, 1);
  assert.match(found[0] ?? '', /write \.\.\/CHECK_NAME or @root\.CHECK_NAME/);
});

test('a secret is warned of in every field', () => {
  const config = { url: 'https://h/{{TOKEN}}', headers: [{ key: 'a', value: '{{TOKEN}}' }] };
  const found = warnAboutWebhook(config, variables, new Set(['TOKEN']));
  assert.deepEqual(
    found.map(({ path }) => path),
    ['config.url', 'config.headers[0].value'],
  );
  assert.match(found[0]?.message ?? '', /TOKEN is marked secret/);
});

test('a template that cannot be saved brings no warnings of its own', () => {
  assert.deepEqual(warnings('{{#if X}}'), []);
});
