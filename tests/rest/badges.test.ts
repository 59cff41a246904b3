// Badges of checks and groups: what they show, who may see them, and that their texts stay texts.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { badgeStyles, badgeThemes } from '#domain/results/badge.ts';
import { drawBadge } from '#lib/markup/draw-badge.ts';
import { idBytes } from '#store/base/codec.ts';
import { openPage } from '../support/chromium.ts';
import { countChange, putAccount, putCheck, putGroup, putState } from '../support/store/rows.ts';
import { badgeLinks, openServer, type ServerOnStore } from './server-on-store.ts';

/** What a parser found in an image. */
interface Parsed {
  readonly fault: string | null;
  readonly elements: readonly string[];
  readonly attributes: readonly string[];
  readonly width: number;
}

const greens = /#0b7a5c|#55cda4/;
const minuteMs = 60_000;

/** The texts of an image, as drawn. */
const textsOf = (image: string): string[] =>
  [...image.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text);

const linkOf = (on: ServerOnStore, subject: Parameters<typeof badgeLinks.link>[1], query = ''): string =>
  badgeLinks.link({ accountId: on.accountId, generation: 0 }, subject).replace('http://tocsin.test', '') + query;

async function show(on: ServerOnStore, url: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await on.server.inject({ url, headers });
  assert.equal(answer.statusCode, 200, answer.body);
  assert.equal(answer.headers['content-type'], 'image/svg+xml; charset=utf-8');
  return answer.body;
}

test('the link of a check shows its name and state without a key, and nothing unknown is green', async () => {
  await using on = await openServer();
  const old = on.clock.now() - 30 * 24 * 60 * minuteMs;
  const put = (name: string, state: Parameters<typeof putState>[2] | null, more: object = {}): string => {
    const checkId = putCheck(on.raw, on.accountId, { name, createdAt: old, ...more });
    if (state !== null) putState(on, checkId, state);
    return checkId;
  };
  const cases = [
    ['Passing', put('a', { status: 'passing' })],
    ['Degraded', put('b', { status: 'degraded', outcome: 'degraded' })],
    ['Failing', put('c', { status: 'failing', outcome: 'failed' })],
    ['Unknown', put('d', { status: 'passing', outcome: 'unknown', verdictAgoMs: 60 * minuteMs })],
    ['Unknown', put('e', null)],
    ['Pending', put('f', null, { createdAt: on.clock.now() })],
    ['Paused', put('g', { status: 'passing' }, { activated: false })],
  ] as const;
  for (const [word, checkId] of cases) {
    const image = await show(on, linkOf(on, { checkId }));
    assert.equal(textsOf(image)[1], word);
    assert.equal(greens.test(image), word === 'Passing', word);
  }
});

test('the badge of a group shows the worst state of its checks, and the mean of their response times', async () => {
  await using on = await openServer();
  putGroup(on.raw, on.accountId, 7);
  const read = async (query = ''): Promise<string[]> => {
    countChange(on.raw, on.accountId);
    return textsOf(await show(on, `/v1/badges/groups/7${query}`, on.as()));
  };
  assert.deepEqual(await read(), ['group 7', 'No checks']);
  const put = (state: Parameters<typeof putState>[2] | null, activated = true): void => {
    const checkId = putCheck(on.raw, on.accountId, { groupId: 7, activated, createdAt: on.clock.now() });
    if (state !== null) putState(on, checkId, state);
  };
  put({ status: 'failing', outcome: 'failed' }, false);
  assert.deepEqual(await read(), ['group 7', 'Paused']);
  put({ responseUs: 100_000 });
  put({ responseUs: 300_400 });
  assert.deepEqual(await read(), ['group 7', 'Passing']);
  assert.deepEqual(await read('?responseTime=true'), ['group 7', 'Passing 200 ms']);
  assert.deepEqual(await read('?responseTime=true&style=for-the-badge'), ['GROUP 7', 'PASSING 200 ms']);
  put(null);
  assert.deepEqual(await read(), ['group 7', 'Pending']);
  put({ status: 'degraded', outcome: 'degraded', responseUs: 5_000_000 });
  assert.deepEqual(await read('?responseTime=true'), ['group 7', 'Degraded 1.80 s']);
  put({ status: 'failing', outcome: 'failed' });
  assert.deepEqual(await read(), ['group 7', 'Failing']);
});

test('a token opens the badge of one check or group of one account, and all others are not found alike', async () => {
  await using on = await openServer();
  const other = putAccount(on.raw);
  const [checkId, secondId] = [putCheck(on.raw, on.accountId), putCheck(on.raw, on.accountId)];
  const foreignId = putCheck(on.raw, other);
  for (const account of [on.accountId, other]) putGroup(on.raw, account, 1);
  putGroup(on.raw, on.accountId, 2);
  const token = (subject: Parameters<typeof badgeLinks.link>[1], account = on.accountId): string =>
    new URL(badgeLinks.link({ accountId: account, generation: 0 }, subject)).searchParams.get('token') ?? '';
  const own = token({ checkId });
  await show(on, `/v1/badges/checks/${checkId}?token=${own}`);
  await show(on, `/v1/badges/checks/${checkId.toUpperCase()}?token=${own}&utm_source=readme`);
  await show(on, `/v1/badges/checks/${foreignId}?token=${token({ checkId: foreignId }, other)}`);
  await show(on, `/v1/badges/groups/1?token=${token({ groupId: 1 })}`);
  const nobody = '0199f0c4-0000-7000-8000-0000000000ff';
  const refused = [
    `checks/${secondId}?token=${own}`,
    `checks/${foreignId}?token=${own}`,
    `checks/${foreignId}?token=${token({ checkId: foreignId })}`,
    `checks/${checkId}?token=${token({ checkId }, other)}`,
    `checks/${nobody}?token=${own}`,
    `checks/${nobody}?token=${token({ checkId: nobody })}`,
    `checks/${checkId}?token=nonsense`,
    `checks/${checkId}?token=${own}A`,
    `checks/${checkId}?token=${own.slice(0, -1)}`,
    `checks/${checkId}?token=${own.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
    `checks/00000000-0000-0000-0000-000000000001?token=${token({ groupId: 1 })}`,
    `groups/1?token=${token({ checkId: '00000000-0000-0000-0000-000000000001' })}`,
    `groups/1?token=${own}`,
    `groups/2?token=${token({ groupId: 1 })}`,
    `groups/2?token=${token({ groupId: 2 }, other)}`,
    `groups/9?token=${token({ groupId: 9 })}`,
  ];
  for (const path of refused) {
    for (const headers of [{}, on.as()]) {
      const answer = await on.server.inject({ url: `/v1/badges/${path}`, headers });
      assert.deepEqual(
        [answer.statusCode, answer.json<{ message: string }>().message],
        [404, 'Badge not found. Its link is incomplete or no longer works.'],
        path,
      );
    }
  }
});

test('the badge of a deleted check is not found, within the 10 s for which a badge is cached', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId, { name: 'Shop' });
  const url = linkOf(on, { checkId });
  await show(on, url);
  for (const table of ['schedules', 'check_states'])
    on.raw.prepare(`DELETE FROM ${table} WHERE check_id = ?`).run(idBytes(checkId));
  on.raw.prepare('DELETE FROM checks WHERE id = ?').run(idBytes(checkId));
  countChange(on.raw, on.accountId);
  await show(on, url);
  on.clock.advance(10_000);
  assert.equal((await on.server.inject({ url })).statusCode, 404);
});

test('an admin revokes the links of an account: they are not found within 10 s, and new ones work', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId, { name: 'Shop' });
  const foreign = putAccount(on.raw);
  const foreignId = putCheck(on.raw, foreign);
  const others = badgeLinks.link({ accountId: foreign, generation: 0 }, { checkId: foreignId });
  const linkNow = async (): Promise<string> => {
    const answer = await on.server.inject({ url: `/v1/badges/checks/${checkId}/link`, headers: on.as() });
    return answer.json<{ url: string }>().url.replace('http://tocsin.test', '');
  };
  const before = await linkNow();
  assert.equal(await linkNow(), before);
  await show(on, before);
  const revoked = await on.server.inject({ method: 'DELETE', url: '/v1/badges/links', headers: on.as() });
  assert.equal(revoked.statusCode, 204);
  on.clock.advance(10_000);
  assert.equal((await on.server.inject({ url: before })).statusCode, 404);
  await show(on, await linkNow());
  await show(on, others.replace('http://tocsin.test', ''));
});

test('with a key every role sees the badges of its account, and who may edit gets their links', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId, { name: 'Shop' });
  putGroup(on.raw, on.accountId, 3);
  const made = await on.server.inject({
    method: 'POST',
    url: '/v1/api-keys',
    headers: on.as(),
    payload: { name: 'reader', role: 'read-only' },
  });
  const reader = on.as(made.json<{ key: string }>().key);
  for (const path of [`checks/${checkId}`, 'groups/3']) {
    assert.equal((await on.server.inject({ url: `/v1/badges/${path}` })).statusCode, 401);
    const answer = await on.server.inject({ url: `/v1/badges/${path}`, headers: reader });
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['cache-control'], 'private, no-cache');
    assert.equal(answer.headers['cross-origin-resource-policy'], 'same-origin');
    assert.equal((await on.server.inject({ url: `/v1/badges/${path}/link`, headers: reader })).statusCode, 403);
    const link = await on.server.inject({ url: `/v1/badges/${path}/link`, headers: on.as() });
    const { url } = link.json<{ url: string }>();
    assert.ok(url.startsWith(`http://tocsin.test/v1/badges/${path}?token=`), url);
    await show(on, url.replace('http://tocsin.test', '') + '&style=plastic&theme=dark&responseTime=true');
  }
  for (const path of ['checks/0199f0c4-0000-7000-8000-0000000000ff', 'groups/99']) {
    for (const url of [`/v1/badges/${path}`, `/v1/badges/${path}/link`])
      assert.equal((await on.server.inject({ url, headers: on.as() })).statusCode, 404, url);
  }
  for (const query of ['style=round', 'theme=pink', 'responseTime=maybe'])
    assert.equal((await on.server.inject({ url: linkOf(on, { checkId }, `&${query}`) })).statusCode, 400, query);
});

test('a badge is cached for half a minute, is sent again only if it changed, and runs nothing', async () => {
  await using on = await openServer();
  const checkId = putCheck(on.raw, on.accountId, { name: 'Shop' });
  const url = linkOf(on, { checkId });
  const { headers } = await on.server.inject({ url });
  assert.equal(headers['cache-control'], 'public, max-age=30');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
  assert.equal(headers['content-security-policy'], "default-src 'none'; style-src 'unsafe-inline'");
  const etag = String(headers['etag']);
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await on.server.inject({ url, headers: { 'if-none-match': known } });
    assert.deepEqual([again.statusCode, again.body, again.headers['etag']], [304, '', etag]);
  }
  const restyled = await on.server.inject({ url: `${url}&style=social`, headers: { 'if-none-match': etag } });
  assert.equal(restyled.statusCode, 200);
  putState(on, checkId, { status: 'failing', outcome: 'failed' });
  countChange(on.raw, on.accountId);
  on.clock.advance(10_000);
  assert.equal((await on.server.inject({ url, headers: { 'if-none-match': etag } })).statusCode, 200);
});

test('an address gets 429 for too many badges, also with invalid tokens', async () => {
  await using on = await openServer({ rateLimit: 1 });
  const checkId = putCheck(on.raw, on.accountId);
  for (const url of [linkOf(on, { checkId }), `/v1/badges/checks/${checkId}?token=guess`]) {
    const remoteAddress = url.endsWith('guess') ? '192.0.2.1' : '192.0.2.2';
    const statuses: number[] = [];
    for (let count = 0; count < 12; count++) statuses.push((await on.server.inject({ url, remoteAddress })).statusCode);
    assert.deepEqual([...new Set(statuses)], [url.endsWith('guess') ? 404 : 200, 429]);
  }
});

describe('an image', () => {
  const endings: (() => unknown)[] = [];
  let page: Page;
  before(async () => {
    page = await openPage({ after: (end) => void endings.push(end) });
  });
  after(async () => {
    for (const end of endings) await end();
  });

  const names = [
    'Shop',
    `<script>alert(1)</script>"'&amp;]]>`,
    '--><!DOCTYPE x [<!ENTITY y SYSTEM "file:///etc/passwd">]>&y;',
    '" onload="alert(1)',
    'a\u0000b\u0008c\u001bd\ud800e\uffff',
    '\u202eevil\u2066\u200b',
    'W\u00e4sche \u65e5\u672c\u8a9e \ud83d\ude80 e\u0301',
    'n'.repeat(5000),
  ];

  test('is well-formed XML in every style and theme, and hostile names stay text in it', async () => {
    const images = badgeStyles.flatMap((style) =>
      badgeThemes.flatMap((theme) =>
        names.map((label) => drawBadge({ label, value: 'Passing', detail: '12 ms', tone: 'good', style, theme })),
      ),
    );
    const parsed = await page.evaluate<Parsed[]>(
      `(${JSON.stringify(images)}).map((text) => {
        const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
        const all = [root, ...root.querySelectorAll('*')];
        return {
          fault: root.querySelector('parsererror')?.textContent ?? null,
          elements: all.map(({ localName }) => localName),
          attributes: all.flatMap((each) => each.getAttributeNames()),
          width: Number(root.getAttribute('width')),
        };
      })`,
    );
    const elements = new Set(['svg', 'title', 'linearGradient', 'stop', 'path', 'rect', 'g', 'text']);
    for (const [at, { fault, width, ...found }] of parsed.entries()) {
      assert.equal(fault, null, images[at]);
      assert.deepEqual(
        found.elements.filter((each) => !elements.has(each)),
        [],
      );
      assert.deepEqual(
        found.attributes.filter((each) => /^on|href|style/.test(each)),
        [],
      );
      assert.ok(width > 40 && width < 1000, `${width} pixels`);
      assert.doesNotMatch(images[at] ?? '', /[\p{Cc}\u202e\u2066\uffff]/u);
    }
  });

  test('has the size of its texts, so that none is squeezed or cut', async () => {
    const draw = (label: string) =>
      drawBadge({ label, value: 'Passing', tone: 'good', style: 'flat', theme: 'default' });
    const drawn = ['Checkout', 'Nightly backup of orders', 'API v2 (EU-1)'].map(draw);
    const ratios = await page.evaluate<number[]>(
      `(${JSON.stringify(drawn)}).map((text) => {
        document.body.innerHTML = text;
        const shown = document.querySelector('text');
        const fixed = Number(shown.getAttribute('textLength'));
        shown.removeAttribute('textLength');
        return fixed / shown.getComputedTextLength();
      })`,
    );
    for (const ratio of ratios) assert.ok(ratio > 0.85 && ratio < 1.15, String(ratio));
  });
});
