// The page of a RESULT_LINK: its facts can be read without JavaScript, its data by the link alone, and text stays text.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { test } from 'node:test';
import type { LinkedPage } from '#actions/results/result-page.ts';
import { operations } from '#contract/operations.ts';
import { newId } from '#lib/id.ts';
import { packageFolder } from '#lib/package-files.ts';
import { Html } from '#lib/markup/html.ts';
import { webPageHeaders } from '#rest/html.ts';
import { resultPage } from '#rest/results/check-results.ts';
import { createWebFiles } from '#rest/web-files.ts';
import { putCheck, putResult } from '../support/store/rows.ts';
import { openServer, type ServerOnStore } from './server-on-store.ts';

const shown: LinkedPage = {
  checkName: 'Shop',
  checkType: 'BROWSER',
  result: {
    accountId: newId(),
    checkId: '1',
    id: '2',
    runId: newId(),
    isFinal: true,
    attempt: 1,
    outcome: 'failed',
    reason: 'status',
    message: 'expected the status code to be 200, but it was 503.',
    location: 'Local',
    source: 'SCHEDULER',
    slots: 1,
    startedAt: Date.UTC(2026, 0, 31, 12),
    stoppedAt: Date.UTC(2026, 0, 31, 12) + 321,
    responseTimeMs: 320.4,
    details: null,
    exchange: null,
  },
  described: null,
  assets: [
    { number: 1, sort: 'screenshot', name: 'the basket', contentType: 'image/png', bytes: 9 },
    { number: 2, sort: 'trace', name: 'trace', contentType: 'application/zip', bytes: 83_000 },
  ],
  expiresAt: Date.UTC(2026, 2, 2),
  timeZone: 'UTC',
  pingBody: '',
};

const documentOf = (changed: Partial<LinkedPage> = {}): string =>
  resultPage({ ...shown, ...changed }, 'AbC', new Html(''));

test('the document says without JavaScript what failed, when, where and why, and links to its screenshots', () => {
  const text = documentOf();
  for (const part of [
    '<title>Failed: Shop</title>',
    '<h1>Shop</h1>',
    'Expected the status code to be 200, but it was 503.',
    '<td>2026-01-31 12:00:00 UTC</td>',
    '<td>320 ms</td>',
    '<td>Local</td>',
    '<a href="AbC/screenshots/1">Screenshot: the basket</a>',
    '<a href="/checks/1/results/2">Open in Tocsin</a>',
    '<meta name="robots" content="noindex',
  ])
    assert.ok(text.includes(part), part);
  assert.doesNotMatch(text, /screenshots\/2|<script/);
});

test('its times are in the zone of the account', () => {
  const text = documentOf({ timeZone: 'America/New_York' });
  for (const part of ['<td>2026-01-31 07:00:00 EST</td>', 'until 2026-03-01 19:00:00 EST.'])
    assert.ok(text.includes(part), part);
});

for (const evil of ['<script zzz>', '"><img zzz onerror=x>', "'<b zzz>", '</title zzz>', '</noscript zzz>']) {
  test(`untrusted text stays text, wherever it stands: ${evil}`, () => {
    const text = documentOf({
      checkName: evil,
      result: { ...shown.result, message: evil, location: evil },
      assets: shown.assets.map((asset) => ({ ...asset, name: evil })),
    });
    assert.doesNotMatch(text, /<\/?[a-z]+\b[^>]*zzz/i);
    assert.equal(text.split('zzz').length - 1, 5);
  });
}

test('the policy of the page allows its own style, and scripts, styles and pictures of this server', () => {
  const style = /<style>([\s\S]*?)<\/style>/.exec(documentOf())?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  const policy = String(webPageHeaders['content-security-policy']);
  assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self' /);
  assert.ok(policy.includes(`'sha256-${hash}'`));
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  const { 'cache-control': cache, 'referrer-policy': referrer, 'x-robots-tag': robots } = webPageHeaders;
  assert.deepEqual([cache, referrer, robots], ['no-store', 'no-referrer', 'noindex, nofollow']);
});

test('the document loads the web UI after its text, from beside itself, because a proxy may add a path', () => {
  const loaders = createWebFiles(join(packageFolder, 'dist', 'web')).loaders('..');
  const elements = [...loaders.matchAll(/<(script|link)\b[^>]*(?:src|href)="\.\.\/assets\/[^"]+"[^>]*>/g)];
  assert.ok(
    ['script', 'link'].every((name) => elements.some(([, each]) => each === name)),
    loaders,
  );
  assert.equal(loaders.replaceAll(/<[^>]*>/g, ''), '');
  assert.equal(elements.length, loaders.match(/<\w/g)?.length);
  const text = resultPage(shown, 'AbC', new Html(loaders));
  assert.ok(text.indexOf('<script') > text.indexOf('Anyone with the link can read this result.'));
  assert.equal(createWebFiles('/nowhere').loaders('..'), '');
});

/** The path of a link to a failed result. */
function linkTo(on: ServerOnStore, checkType: string, changed: object): string {
  const checkId = putCheck(on.raw, on.accountId, { name: 'Shop', checkType });
  const resultId = putResult(on.raw, on.accountId, checkId, on.clock.now(), { outcome: 'failed', ...changed });
  return new URL(on.links.link(on.accountId, checkId, resultId, on.clock.now())).pathname;
}

test('the data of a link is its result, for nobody to store, and of a wrong or expired link there is none', async () => {
  await using on = await openServer();
  const link = linkTo(on, 'TCP', { message: 'refused' });
  const get = (path: string) => on.server.inject({ method: 'GET', url: path });
  const found = await get(`${link}/result`);
  assert.equal(found.statusCode, 200);
  const { result, ...rest } = operations.getLinkedResult.response.parse(found.json());
  assert.deepEqual([result.name, result.outcome, result.message], ['Shop', 'failed', 'refused']);
  assert.match(rest.localStartedAt, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
  assert.deepEqual([found.headers['cache-control'], found.headers['x-robots-tag']], ['no-store', 'noindex, nofollow']);
  assert.equal((await get(`${link}A/result`)).statusCode, 404);
  on.clock.advance(30 * 86_400_000 + 1001);
  const expired = await get(`${link}/result`);
  assert.equal(expired.statusCode, 404);
  assert.match(expired.json<{ message: string }>().message, /^This link is invalid or expired/);
  assert.match((await get(link)).body, /Result not found/);
});

test('what setup and teardown scripts logged is not part of the data, because it may hold what only they know', async () => {
  await using on = await openServer();
  const runs = [{ hook: 'setup', error: 'token is s3same', durationMs: 1 }];
  const scripts = { runtime: '2026.04', node: 'v24', warnings: [], runs };
  const link = linkTo(on, 'API', { details: { scripts } });
  const { body } = await on.server.inject({ method: 'GET', url: `${link}/result` });
  const { apiCheckResult: part } = operations.getLinkedResult.response.parse(JSON.parse(body)).result;
  assert.deepEqual([part?.scripts, part?.jobLog], [null, null]);
  assert.ok(!body.includes('s3same'));
});
