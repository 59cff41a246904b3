// The page of one result: it can be read by a person, and untrusted text stays text.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { pageHeaders } from '#rest/html.ts';
import { noResultPage, resultPage, type ResultView } from '#rest/results/result-page.ts';

const view: ResultView = {
  checkName: 'Shop',
  outcome: 'failed',
  checkType: 'API',
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
  assertions: [{ text: 'STATUS_CODE EQUALS 200', passed: false, message: 'expected 200, got 503' }],
  request: { line: 'GET https://shop.example/', headers: [['accept', '*/*']], body: '' },
  response: { line: '503 Service Unavailable', headers: [], body: 'down', isTruncated: true },
  evidence: null,
  script: null,
  pagePath: '/checks/1/results/2',
  expiresAt: Date.UTC(2026, 2, 2),
  timeZone: 'UTC',
};

const script: NonNullable<ResultView['script']> = {
  warnings: ['The runtime 2026.04 is deprecated.'],
  errors: [{ message: 'Expected: "thank you"\nReceived: "sold"', place: 'check.spec.ts:11' }],
  screenshots: [{ address: 'AbC/screenshots/1', name: 'the basket' }],
  files: [{ name: 'trace', bytes: 83_000, path: '/v1/check-results/1/2/assets/2' }],
  steps: [
    { title: 'a customer buys', isNamed: true, startMs: 0, durationMs: 12_300, hasFailed: true },
    { title: 'Click', isNamed: false, startMs: 400, durationMs: 31, hasFailed: false },
  ],
  vitals: [{ url: 'https://shop.example/', values: [['LCP', '536 ms']] }],
  output: [{ text: 'the basket is there', isError: false }],
  pages: [{ text: 'error: a broken script', isError: true }],
};

function assertShows(page: string, texts: readonly string[]): void {
  for (const text of texts) assert.ok(page.includes(text), text);
}

test('a result can be read by a person: verdict, name, times, phases, assertions, request and response', () => {
  assertShows(resultPage(view), [
    'Failed',
    'Shop',
    'Expected the status code to be 200, but it was 503.',
    '2026-01-31 12:00:00 UTC',
    '320 ms',
    '20.4 ms',
    'STATUS_CODE EQUALS 200',
    'Expected 200, got 503',
    'GET https://shop.example/',
    '503 Service Unavailable',
    '<a href="/checks/1/results/2">Open in Tocsin</a>',
    'only its beginning is stored',
  ]);
});

test('its times are in the zone of the account', () => {
  assertShows(resultPage({ ...view, timeZone: 'America/New_York' }), [
    '<td>2026-01-31 07:00:00 EST</td>',
    'until 2026-03-01 19:00:00 EST.',
  ]);
});

test('of a script it shows what failed, what was seen, its steps, and what it and its pages said', () => {
  assertShows(resultPage({ ...view, request: null, response: null, script }), [
    'The runtime 2026.04 is deprecated.',
    '<b>check.spec.ts:11</b>\nExpected: &quot;thank you&quot;\nReceived: &quot;sold&quot;',
    '<img src="AbC/screenshots/1"',
    'the basket</figcaption>',
    'a customer buys',
    '12.3 s',
    '31.0 ms',
    'LCP <strong>536 ms</strong>',
    'the basket is there',
    'error: a broken script',
    'trace, 83 kB',
    'GET /v1/check-results/1/2/assets/2',
  ]);
});

test('of many steps the first are shown, and of a result without any that only the outcome was kept', () => {
  const step = { title: 'one of many', isNamed: false, startMs: 1, durationMs: 1, hasFailed: false };
  const many = resultPage({ ...view, script: { ...script, steps: Array.from({ length: 207 }, () => step) } });
  assert.equal(many.split('one of many').length - 1, 200);
  assert.ok(many.includes('The API returns 7 more.'));
  const line = { text: `spoken ${'x'.repeat(3000)}`, isError: false };
  const loud = resultPage({ ...view, script: { ...script, output: Array.from({ length: 300 }, () => line) } });
  assert.equal(loud.split('spoken').length - 1, 200);
  assert.ok(loud.includes('The API returns 100 more.') && !loud.includes('x'.repeat(2001)));
  const few = resultPage({ ...view, script: { ...script, steps: null } });
  assert.ok(few.includes('Only the outcome of this result is stored'));
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
      evidence: { title: evil, facts: [[evil, evil]], text: evil, isFirst: false, isShort: false },
      script: {
        warnings: [evil],
        errors: [{ message: evil, place: evil }],
        screenshots: [{ address: 'AbC/screenshots/1', name: evil }],
        files: [{ name: evil, bytes: 1, path: '/' }],
        steps: [{ title: evil, isNamed: true, startMs: 0, durationMs: 1, hasFailed: true }],
        vitals: [{ url: evil, values: [[evil, evil]] }],
        output: [{ text: evil, isError: false }],
        pages: [{ text: evil, isError: true }],
      },
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
