// Assets of a result over HTTP: listed with the result, and downloaded as untrusted files by callers that may read results.
import assert from 'node:assert/strict';
import { get as request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createClient } from '#contract/client.ts';
import { newId } from '#lib/id.ts';
import { putCheck, putResult } from '../support/store/rows.ts';
import { until } from '../support/until.ts';
import { openServer, type ServerOnStore } from './server-on-store.ts';

const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);

async function fixture(on: ServerOnStore) {
  const { accountId } = on;
  const checkId = putCheck(on.raw, accountId, { name: 'shop', checkType: 'BROWSER' });
  const details = { tests: 1, failedTests: 1, errors: [], warnings: [] };
  const resultId = putResult(on.raw, accountId, checkId, on.clock.now(), { outcome: 'failed', details });
  const name = 'a "name" of\r\nsomebody <else>';
  await on.store.resultAssets.keep(
    { accountId, checkId, resultId, location: 'local' },
    [
      { sort: 'screenshot', name, contentType: 'image/png', content: png },
      { sort: 'trace', name: 'trace', contentType: 'application/zip', content: Buffer.from('PK') },
    ],
    'with-result',
  );
  return { checkId, resultId, path: `/v1/check-results/${checkId}/${resultId}` };
}

const get = (on: ServerOnStore, url: string, headers = on.as()) => on.server.inject({ method: 'GET', url, headers });

test('a result names its assets, in lists as well, and each is a link to the file', async () => {
  await using on = await openServer();
  const { checkId, path } = await fixture(on);
  const assets = (await get(on, `${path}/assets`)).json<object[]>();
  assert.deepEqual(assets[1], {
    number: 2,
    sort: 'trace',
    name: 'trace',
    contentType: 'application/zip',
    bytes: 2,
    link: `${path}/assets/2`,
  });
  interface Result {
    readonly browserCheckResult: { readonly assets: readonly object[] };
  }
  const one = (await get(on, path)).json<Result>();
  const [listed] = (await get(on, `/v1/check-results/${checkId}`)).json<Result[]>();
  const walked = (await get(on, `/v2/check-results/${checkId}`)).json<{ entries: Result[] }>();
  for (const result of [one, listed, walked.entries[0]]) assert.deepEqual(result?.browserCheckResult.assets, assets);
});

test('the command line gets names under which it can save all assets, and the type of a browser result', async () => {
  await using on = await openServer();
  const { path } = await fixture(on);
  const headers = { ...on.as(), 'x-checkly-source': 'CLI' };
  const { assets } = (await get(on, `${path}/assets?type=trace`, headers)).json<{ assets: object[] }>();
  assert.deepEqual(assets, [
    {
      type: 'trace',
      name: '2-trace.zip',
      url: `${path}/assets/2`,
      contentType: 'application/zip',
      source: 'check-result',
    },
  ]);
  const result = (await get(on, path, headers)).json<{ browserCheckResult: object }>();
  assert.equal((result.browserCheckResult as { type?: string }).type, 'PLAYWRIGHT');
});

test('an asset is downloaded as what it is, and may do nothing where it is opened', async () => {
  await using on = await openServer();
  const { path } = await fixture(on);
  const answer = await get(on, `${path}/assets/1`);
  assert.equal(answer.statusCode, 200);
  assert.deepEqual(answer.rawPayload, png);
  assert.equal(answer.headers['content-type'], 'image/png');
  assert.equal(answer.headers['content-disposition'], 'attachment; filename="screenshot-1.png"');
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assert.match(String(answer.headers['content-security-policy']), /sandbox/);
  const head = await on.server.inject({ method: 'HEAD', url: `${path}/assets/1`, headers: on.as() });
  assert.deepEqual([head.statusCode, head.rawPayload.length], [200, 0]);
});

test('only callers that may read results can download assets', async () => {
  await using on = await openServer();
  const { path, checkId } = await fixture(on);
  const made = await on.server.inject({
    method: 'POST',
    url: '/v1/api-keys',
    headers: on.as(),
    payload: { name: 'reader', role: 'read-only' },
  });
  const { key } = made.json<{ key: string }>();
  const account = await on.server.inject({
    method: 'POST',
    url: '/v1/accounts',
    headers: on.as(),
    payload: { name: 'another' },
  });
  const stranger = on.as(undefined, account.json<{ id: string }>().id);
  for (const [url, headers, status] of [
    [`${path}/assets/1`, on.as(key), 200],
    [`${path}/assets`, on.as(key), 200],
    [`${path}/assets/1`, stranger, 404],
    [`${path}/assets`, stranger, 404],
    [`${path}/assets/1`, {}, 401],
    [`${path}/assets`, {}, 401],
    [`${path}/assets/3`, on.as(), 404],
    [`${path}/assets/0`, on.as(), 400],
    [`${path}/assets/x`, on.as(), 400],
    [`/v1/check-results/${checkId}/${newId()}/assets`, on.as(), 404],
    [`/v1/check-results/${checkId}/${newId()}/assets/1`, on.as(), 404],
  ] as const) {
    assert.equal((await get(on, url, headers)).statusCode, status, `${url} ${JSON.stringify(headers)}`);
  }
});

test('the page behind a result link shows the screenshots and no other assets', async () => {
  await using on = await openServer();
  const { checkId, resultId } = await fixture(on);
  const link = on.links.link(on.accountId, checkId, resultId, on.clock.now());
  const token = link.slice(link.lastIndexOf('/') + 1);
  const page = await get(on, `/results/${token}`, {});
  // Beside the page itself, wherever that is served from.
  assert.ok(
    page.body.includes(
      `<a href="${token}/screenshots/1">Screenshot: a &quot;name&quot; of\r\nsomebody &lt;else&gt;</a>`,
    ),
  );
  assert.match(String(page.headers['content-security-policy']), /^default-src 'none';.*; img-src 'self';/);
  const picture = await get(on, `/results/${token}/screenshots/1`, {});
  assert.deepEqual([picture.statusCode, picture.rawPayload], [200, png]);
  assert.equal(picture.headers['content-type'], 'image/png');
  assert.equal(picture.headers['content-disposition'], 'inline; filename="screenshot-1.png"');
  assert.match(String(picture.headers['content-security-policy']), /sandbox/);
  for (const [url, status] of [
    [`/results/${token}/screenshots/2`, 404],
    [`/results/${token}/screenshots/3`, 404],
    [`/results/${token}/screenshots/0`, 400],
    [`/results/${token}A/screenshots/1`, 404],
  ] as const) {
    assert.equal((await get(on, url, {})).statusCode, status, url);
  }
  on.clock.advance(30 * 86_400_000 + 1001);
  assert.equal((await get(on, `/results/${token}/screenshots/1`, {})).statusCode, 404);
});

test('the client gives the bytes of an asset', async () => {
  await using on = await openServer();
  const { checkId, resultId } = await fixture(on);
  const address = await on.server.listen({ host: '127.0.0.1', port: 0 });
  const client = createClient({ baseUrl: address, apiKey: on.key });
  const params = { checkId, checkResultId: resultId, number: 1 };
  assert.deepEqual(Buffer.from(await client.call('getResultAsset', { params })), png);
});

/** More than a connection of this machine holds by itself. */
const large = 40 << 20;

/** A server with a large asset that listens, and how to begin a download of it. */
async function fixtureOfDownloads(on: ServerOnStore, accountId = on.accountId) {
  const checkId = putCheck(on.raw, accountId, { name: 'shop', checkType: 'BROWSER' });
  const resultId = putResult(on.raw, accountId, checkId, on.clock.now(), { outcome: 'failed' });
  const content = Buffer.alloc(large, 'assets ');
  const video = { sort: 'video', name: 'page', contentType: 'video/webm', content } as const;
  await on.store.resultAssets.keep({ accountId, checkId, resultId, location: 'local' }, [video], 'with-result');
  if (!on.server.server.listening) await on.server.listen({ host: '127.0.0.1', port: 0 });
  const { port } = on.server.server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1/check-results/${checkId}/${resultId}/assets/1`;
  const headers = on.as(undefined, accountId);
  const begin = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request(url, { headers, agent: false }, resolve).on('error', reject);
    });
  return { content, begin };
}

async function read(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

test('many downloads at once wait for each other, and each gets all of the file', async () => {
  await using on = await openServer({ downloads: { atOnce: 2, ofOneAccount: 2, waitMs: 60_000 } });
  const { content, begin } = await fixtureOfDownloads(on);
  const all = await Promise.all(Array.from({ length: 8 }, async () => read(await begin())));
  for (const each of all) assert.ok(each.equals(content));
});

test('a download beyond the limit gets 503 with Retry-After, and an aborted download frees its place', async () => {
  await using on = await openServer({ downloads: { atOnce: 2, ofOneAccount: 2, waitMs: 20 } });
  const { content, begin } = await fixtureOfDownloads(on);
  // Nobody reads them: they stay.
  const [one, other] = [await begin(), await begin()];
  const refused = await begin();
  assert.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '1']);
  const { message } = JSON.parse((await read(refused)).toString()) as { message: string };
  assert.equal(message, 'Too many downloads: 2 are in progress on this server. Try again later.');
  one.destroy();
  let next: IncomingMessage | undefined;
  await until('room', async () => {
    next = await begin();
    if (next.statusCode === 503) next.resume();
    return next.statusCode === 200;
  });
  assert.ok(next !== undefined && (await read(next)).equals(content));
  other.destroy();
});

test('one account leaves room for the downloads of another, which come before its own where both wait', async () => {
  await using on = await openServer({ downloads: { atOnce: 4, ofOneAccount: 2, waitMs: 60_000 } });
  const made = await on.server.inject({
    method: 'POST',
    url: '/v1/accounts',
    headers: on.as(),
    payload: { name: 'another' },
  });
  const ours = await fixtureOfDownloads(on);
  const theirs = await fixtureOfDownloads(on, made.json<{ id: string }>().id);
  const order: string[] = [];
  const noted = (who: string, begun: Promise<IncomingMessage>) => begun.then((message) => (order.push(who), message));
  // Nobody reads them: they stay. The last place is not for who has two already.
  const first = [await ours.begin(), await ours.begin(), await ours.begin()];
  const fourth = noted('ours', ours.begin());
  const their = await theirs.begin();
  assert.deepEqual(
    [...first, their].map(({ statusCode }) => statusCode),
    [200, 200, 200, 200],
  );
  const second = noted('theirs', theirs.begin());
  first[0]?.destroy();
  assert.ok((await read(await second)).equals(theirs.content));
  first[1]?.destroy();
  assert.ok((await read(await fourth)).equals(ours.content));
  assert.deepEqual(order, ['theirs', 'ours']);
  for (const message of [first[2], their]) message?.destroy();
});

test('of a file whose download stands still only parts are held', async () => {
  await using on = await openServer();
  const { begin } = await fixtureOfDownloads(on);
  const standing = await begin();
  on.raw.prepare('DELETE FROM asset_parts').run();
  // What was read already comes; what would have to be held does not.
  await assert.rejects(read(standing), /aborted/);
});
