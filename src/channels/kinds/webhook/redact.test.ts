// Locked values are masked in deliveries, in every form that was sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mask } from '#domain/deliveries/shown-url.ts';
import * as redact from '../../redact.ts';
import { redactAttempt, redactFault, redactRequest, withheld, withheldAnswer } from '../../redact.ts';
import { templatesOf } from './config.ts';
import { renderWebhook } from './render.ts';
import { TemplateError } from '../../templates/template-error.ts';

const key = 'k&"y /+1';
const config = {
  url: 'https://user:{{urlencode KEY}}@example.com/{{{KEY}}}?q={{urlencode KEY}}',
  template: '{"a": {{json KEY}}, "b": "{{KEY}}", "c": "{{{KEY}}}", "open": "{{OPEN}}" }',
  headers: [
    { key: 'X-Key', value: '{{{KEY}}}', locked: false },
    { key: 'X-Locked', value: 'fixed-{{OPEN}}', locked: true },
  ],
  queryParameters: [{ key: 'tok en', value: 'hidden one', locked: true }],
};
const variables = [
  { key: 'KEY', value: key, locked: true, secret: false },
  { key: 'OPEN', value: 'open', locked: false, secret: false },
];
const request = renderWebhook(
  config,
  { KEY: key, OPEN: 'open' },
  { createdAt: 0, uuid: 'u', randomNumber: 1, userAgent: 'Tocsin/0', timeZone: 'UTC' },
);
const lockedOf = redact.lockedOf.bind(null, { templatesOf });
const locked = lockedOf(config, variables);

function textsOf({ url, headers, body }: typeof request): string {
  return [url, body, ...headers.map(([, value]) => value)].join('\n');
}

test('masks a locked variable in every form that a request gives it', () => {
  const basic = Buffer.from(`user:${key}`).toString('base64');
  const json = JSON.stringify(key).slice(1, -1);
  const forms = [key, json, 'k&amp;&quot;y /+1', encodeURIComponent(key), 'k&%22y%20/+1', basic];
  const shown = textsOf(redactRequest(request, locked));
  for (const form of forms) {
    assert.ok(textsOf(request).includes(form), `${form} was there`);
    assert.ok(!shown.includes(form), `${form} is gone`);
  }
});

test('masks locked headers and query parameters only', () => {
  const shown = redactRequest(request, locked);
  const headers = Object.fromEntries(shown.headers);
  assert.equal(headers['X-Locked'], mask);
  assert.equal(headers['X-Key'], mask);
  assert.equal(headers['authorization'], mask);
  assert.equal(headers['user-agent'], 'Tocsin/0');
  assert.match(shown.url, /^https:\/\/example\.com\/\*{8}\?q=\*{8}&tok%20en=\*{8}$/);
  assert.match(shown.body, /"open": "open"/);
});

test('masks values that the receiver echoes, without changing the stored attempt', () => {
  const attempt = {
    startedAt: 1,
    durationMs: 2,
    headers: request.headers,
    response: {
      status: 500,
      headers: { 'x-echo': `got ${key}` },
      body: `you sent fixed-open and hidden one and ${key}`,
    },
    error: { class: 'status', message: `about ${key}` },
  } as const;
  const shown = redactAttempt(attempt, request, locked);
  assert.equal(shown.response?.headers['x-echo'], `got ${mask}`);
  assert.equal(shown.response?.body, `you sent ${mask} and ${mask} and ${mask}`);
  assert.equal(shown.error?.message, `about ${mask}`);
  assert.equal(attempt.response.body.includes(key), true);
  assert.equal(redactAttempt({ ...attempt, response: null, error: null }, null, locked).response, null);
});

test('changes nothing if nothing is locked', () => {
  assert.deepEqual(redactRequest(request, lockedOf({ url: 'https://h/' }, [])), request);
});

test('masks the longer of two overlapping values', () => {
  const both = { ...locked, values: ['abc', 'abcdef', ''] };
  assert.equal(redactRequest({ ...request, body: 'abcdef abc' }, both).body, `${mask} ${mask}`);
});

/** Renders a template with a locked variable in each place, masked. */
function shownOf(template: string, value: string) {
  const whole = {
    url: `https://example.com/${template}`,
    template,
    headers: [
      { key: 'X-Of', value: template },
      { key: 'x-other', value: 'open' },
    ],
  };
  const own = [{ key: 'LK', value, locked: true, secret: false }];
  const facts = { createdAt: 0, uuid: 'u', randomNumber: 1, userAgent: 'Tocsin/0', timeZone: 'UTC' };
  const sent = renderWebhook(whole, { LK: value, TAGS: ['a'], CHECK_NAME: 'shop' }, facts);
  return { sent, shown: redactRequest(sent, lockedOf(whole, own)), locked: lockedOf(whole, own) };
}

const reshaping = [
  '{{truncate LK 6}}',
  '{{#each (split LK "-")}}{{this}}.{{/each}}',
  '{{{replace LK "-" "+"}}}',
  '{{uppercase (default LK "x")}}',
  '{{json (uppercase LK)}}',
  '{{urlencode (json LK)}}',
  '{{#trim}} {{LK}} {{/trim}}',
  '{{#lowercase}}{{#if LK}}{{LK}}{{/if}}{{/lowercase}}',
  '{{LK.[0]}}{{LK.[1]}}{{@root.LK.[2]}}',
  '{{lookup LK 0}}',
  '{{truncate (lookup @root "LK") 6}}',
  '{{#with LK}}{{truncate this 6}}{{/with}}',
  '{{#with LK}}{{this.[0]}}{{/with}}',
  '{{#with LK as |x|}}{{truncate x 6}}{{/with}}',
  '{{#LK}}{{truncate . 6}}{{/LK}}',
  '{{#each @root}}{{truncate this 6}}{{/each}}',
  '{{#each TAGS}}{{truncate ../LK 6}}{{/each}}',
  '{{#each TAGS}}{{truncate @root.LK 6}}{{/each}}',
  '{{length LK}}',
];

test('withholds text in which a helper transformed a locked variable, and says why', () => {
  const value = 'hidden-value-7Q';
  for (const template of reshaping) {
    const { sent, shown, locked } = shownOf(template, value);
    assert.notEqual(sent.body, '', template);
    const ours = shown.headers.filter(([name]) => name !== 'content-type');
    assert.deepEqual(
      [shown.url, shown.body, ours],
      [
        withheld,
        withheld,
        [
          ['user-agent', 'Tocsin/0'],
          ['X-Of', withheld],
          ['x-other', 'open'],
        ],
      ],
      template,
    );
    const response = { status: 500, headers: { 'x-echo': sent.body }, body: sent.body };
    const error = { class: 'status', message: sent.body } as const;
    const attempt = { startedAt: 1, durationMs: 2, headers: sent.headers, response, error };
    const read = redactAttempt(attempt, sent, locked);
    assert.deepEqual(
      [read.response?.headers['x-echo'], read.response?.body, read.error?.message],
      [mask, withheldAnswer, withheldAnswer],
    );
  }
});

test('keeps the rest of a template readable that prints or tests a locked variable', () => {
  const printing = {
    'a {{LK}} b': 'a ******** b',
    'a {{{LK}}} b': 'a ******** b',
    'a {{json LK}} b': 'a "********" b',
    'a {{jsonString LK}} b': 'a ******** b',
    'a {{urlencode (default LK "x")}} b': 'a ******** b',
    '{{default LK "x"}}': '********',
    '{{lookup @root "LK"}} {{uppercase CHECK_NAME}}': '******** SHOP',
    '{{#if (eq LK "x")}}{{uppercase CHECK_NAME}}{{else}}{{lowercase CHECK_NAME}}{{/if}}': 'shop',
    '{{#each TAGS}}{{uppercase this}} {{@root.LK}}{{/each}}': 'A ********',
    '{{#with CHECK_NAME as |x|}}{{uppercase x}} {{uppercase this}}{{/with}}': 'SHOP SHOP',
    '{{#uppercase}}{{CHECK_NAME}}{{/uppercase}} {{LK}}': 'SHOP ********',
  };
  for (const [template, expected] of Object.entries(printing)) {
    assert.equal(shownOf(template, 'hidden & "value"').shown.body, expected, template);
  }
});

test('recognizes a locked value in a lower-case host and in a header without line breaks', () => {
  const { sent, shown } = shownOf('{{{LK}}}', 'Hidden\nValue');
  assert.equal(new Map(sent.headers).get('X-Of'), 'Hidden Value');
  assert.equal(new Map(shown.headers).get('X-Of'), mask);
  const url = { url: 'https://{{LK}}.example.com/' };
  const own = [{ key: 'LK', value: 'HiddenHost', locked: true, secret: false }];
  const facts = { createdAt: 0, uuid: 'u', randomNumber: 1, userAgent: 'Tocsin/0', timeZone: 'UTC' };
  const request = renderWebhook(url, { LK: 'HiddenHost' }, facts);
  assert.match(request.url, /hiddenhost/);
  assert.equal(redactRequest(request, lockedOf(url, own)).url, 'https://********.example.com/');
});

/** Returns the stored message of a failed rendering. */
function faultOf(config: Parameters<typeof renderWebhook>[0], value: string): { path: string; message: string } {
  try {
    renderWebhook(
      config,
      { LK: value },
      { createdAt: 0, uuid: 'u', randomNumber: 1, userAgent: 'Tocsin/0', timeZone: 'UTC' },
    );
  } catch (error) {
    if (error instanceof TemplateError) return error;
  }
  throw new Error('it was rendered');
}

test('a stored render error contains a locked value completely or not at all', () => {
  const failing = [{ url: '{{{LK}}}x' }, { url: '{{LK}}' }, { url: 'https://h/', template: '{{moment LK "X"}}' }];
  for (const value of ['hidden & "value"', `zfirst${'n'.repeat(500)}`]) {
    for (const config of failing) {
      const { path, message } = faultOf(config, value);
      const locked = lockedOf(config, [{ key: 'LK', value, locked: true, secret: false }]);
      const attempt = { startedAt: 1, durationMs: 2, headers: [], response: null };
      const stored = redactAttempt({ ...attempt, error: { class: 'protocol', message } }, null, locked).error?.message;
      for (const shown of [stored ?? '', redactFault(path, message, locked)]) {
        assert.doesNotMatch(shown, /hidden|zfirst/);
        assert.match(shown, config.url === 'https://h/' ? /^Not shown/ : /\*{8}|a value of \d+ characters/);
      }
    }
  }
});

test('shows unrelated errors unchanged', () => {
  const locked = lockedOf({ url: 'https://h/', template: '{{moment CHECK_NAME}}' }, [
    { key: 'LK', value: 'hidden', locked: true, secret: false },
  ]);
  assert.equal(redactFault('config.template', '"x" is not a valid time', locked), '"x" is not a valid time');
});

test('masks many long values in requests, errors and next to each other', () => {
  const own = Array.from({ length: 40 }, (_, number) => {
    return { key: `K${number}`, value: `${number}é"hidden`.repeat(3000), locked: true, secret: false };
  });
  const values = Object.fromEntries(own.map(({ key: name, value }) => [name, value]));
  const config = { url: 'https://h/', template: '{{K0}}|{{{K1}}}|{{json K39}}' };
  const sent = renderWebhook(config, values, {
    createdAt: 0,
    uuid: 'u',
    randomNumber: 1,
    userAgent: 'Tocsin/0',
    timeZone: 'UTC',
  });
  const locked = lockedOf(config, own);
  assert.equal(redactRequest(sent, locked).body, `${mask}|${mask}|"${mask}"`);
  assert.equal(redactFault('config.url', `"${own[0]?.value}" is no URL`, locked), `"${mask}" is no URL`);
});
