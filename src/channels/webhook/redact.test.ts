import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockedOf, mask, redactAttempt, redactRequest } from './redact.ts';
import { renderWebhook } from './render.ts';

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
  { createdAt: 0, uuid: 'u', randomNumber: 1, userAgent: 'Tocsin/0' },
);
const locked = lockedOf(config, variables);

function textsOf({ url, headers, body }: typeof request): string {
  return [url, body, ...headers.map(([, value]) => value)].join('\n');
}

test('the value of a locked variable is hidden in every form that a request gives it', () => {
  const basic = Buffer.from(`user:${key}`).toString('base64');
  const json = JSON.stringify(key).slice(1, -1);
  const forms = [key, json, 'k&amp;&quot;y /+1', encodeURIComponent(key), 'k&%22y%20/+1', basic];
  const shown = textsOf(redactRequest(request, locked));
  for (const form of forms) {
    assert.ok(textsOf(request).includes(form), `${form} was there`);
    assert.ok(!shown.includes(form), `${form} is gone`);
  }
});

test('locked headers and query parameters are hidden whole, the rest stays readable', () => {
  const shown = redactRequest(request, locked);
  const headers = Object.fromEntries(shown.headers);
  assert.equal(headers['X-Locked'], mask);
  assert.equal(headers['X-Key'], mask);
  assert.equal(headers['authorization'], mask);
  assert.equal(headers['user-agent'], 'Tocsin/0');
  assert.match(shown.url, /^https:\/\/example\.com\/\*{8}\?q=\*{8}&tok%20en=\*{8}$/);
  assert.match(shown.body, /"open": "open"/);
});

test('what the receiver echoes is hidden, and the stored attempt is left as it is', () => {
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

test('without anything locked nothing changes', () => {
  assert.deepEqual(redactRequest(request, lockedOf({ url: 'https://h/' }, [])), request);
});

test('a value that holds another one is hidden whole', () => {
  const both = { ...locked, values: ['abc', 'abcdef', ''] };
  assert.equal(redactRequest({ ...request, body: 'abcdef abc' }, both).body, `${mask} ${mask}`);
});
