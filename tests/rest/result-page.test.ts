// The page of one result: it can be read by a person, and untrusted text stays text.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { pageHeaders } from '#rest/html.ts';
import { noResultPage, resultPage, type ResultView } from '#rest/result-page.ts';

const view: ResultView = {
  checkName: 'Shop',
  outcome: 'failed',
  message: 'Expected the status code to be 200, but it was 503.',
  location: 'Local',
  startedAt: Date.UTC(2026, 0, 31, 12),
  stoppedAt: Date.UTC(2026, 0, 31, 12) + 321,
  attempt: 1,
  responseTimeMs: 320.4,
  phases: [
    { name: 'DNS', ms: 20.4 },
    { name: 'First byte', ms: 300 },
  ],
  assertions: [{ text: 'STATUS_CODE EQUALS 200', passed: false, message: 'it was 503' }],
  request: { line: 'GET https://shop.example/', headers: [['accept', '*/*']], body: '' },
  response: { line: '503 Service Unavailable', headers: [], body: 'down', isTruncated: true },
  expiresAt: Date.UTC(2026, 2, 2),
};

test('a result can be read by a person: verdict, name, times, phases, assertions, request and response', () => {
  const page = resultPage(view);
  for (const text of [
    'Failed',
    'Shop',
    'Expected the status code to be 200, but it was 503.',
    '2026-01-31 12:00:00 UTC',
    '320 ms',
    '20.4 ms',
    'STATUS_CODE EQUALS 200',
    'GET https://shop.example/',
    '503 Service Unavailable',
    'only its beginning was kept',
  ]) {
    assert.ok(page.includes(text), text);
  }
});

for (const evil of ['<script zzz>', '"><img zzz onerror=x>', "'<b zzz>", '</title zzz>', '</pre zzz>']) {
  test(`untrusted text stays text, wherever it stands: ${evil}`, () => {
    const message = { line: evil, headers: [[evil, evil]] as const, body: evil };
    const page = resultPage({
      ...view,
      checkName: evil,
      message: evil,
      location: evil,
      phases: [{ name: evil, ms: 1 }],
      assertions: [{ text: evil, passed: false, message: evil }],
      request: message,
      response: { ...message, isTruncated: false },
    });
    assert.doesNotMatch(page, /<\/?[a-z]+\b[^>]*zzz/i);
    assert.ok(page.includes('zzz'));
  });
}

test('the policy of a page allows its own style and nothing else', () => {
  const style = /<style>([\s\S]*?)<\/style>/.exec(noResultPage())?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  assert.match(String(pageHeaders['content-security-policy']), /^default-src 'none'/);
  assert.ok(pageHeaders['content-security-policy']?.includes(`'sha256-${hash}'`));
  assert.match(noResultPage(), /<meta name="robots" content="noindex/);
});
