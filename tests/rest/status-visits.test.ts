// Visits of status pages: what is served from memory, to whom, and what a host name of a page does not open.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { createPageAccess } from '#actions/status-pages/page-access.ts';
import { text, visitsOf } from './visits-under-test.ts';

test('a public page is served with a tag that saves the next answer, compressed where that is accepted', async () => {
  const { visit } = visitsOf();
  assert.equal((await visit('/status/example'))?.headers['location'], '/status/example/');
  const first = await visit('/status/example/?utm=1');
  assert.deepEqual([first?.status, String(first?.body)], [200, text]);
  assert.match(first?.headers['cache-control'] ?? '', /stale-if-error=86400/);
  const etag = first?.headers['etag'] ?? '';
  const again = await visit('/status/example/', { headers: { 'if-none-match': `"other", ${etag}` } });
  assert.deepEqual([again?.status, again?.body], [304, '']);
  const zipped = await visit('/status/example/', { headers: { 'accept-encoding': 'br, gzip' } });
  assert.equal(zipped?.headers['content-encoding'], 'gzip');
  assert.equal(gunzipSync(zipped?.body as Buffer).toString(), text);
  const refused = await visit('/status/example/', { headers: { 'accept-encoding': 'gzip;q=0' } });
  assert.equal(refused?.headers['content-encoding'], undefined);
  const head = await visit('/status/example/', { method: 'HEAD' });
  assert.deepEqual([head?.body, head?.headers['content-length']], ['', String(text.length)]);
  assert.equal(String((await visit('/status/example/incidents/1.html'))?.body), 'One');
  assert.equal((await visit('/status/example/', { method: 'POST' }))?.status, 405);
  for (const path of ['/status/other/', '/status/example/../../v1/checks', '/status/example/no.html', '/status/']) {
    assert.equal((await visit(path))?.status, 404, path);
  }
  assert.equal(await visit('/v1/checks'), null);
});

test('a host name of a page opens the page and nothing else', async () => {
  const { visit } = visitsOf();
  const foreignName = 'status.example.com';
  assert.equal(String((await visit('/', { foreignName }))?.body), text);
  for (const target of [
    '/v1/checks',
    '/sign-in',
    '/status/example/',
    '/health',
    '/ping/x',
    'http://127.0.0.1/v1/checks',
  ]) {
    const headers = { authorization: 'Bearer tsn_key' };
    assert.equal((await visit(target, { foreignName, headers }))?.status, 404, target);
  }
  assert.equal(await visit('/', { foreignName: 'other.example.com' }), null);
  assert.equal(await visit('/status/example/', { foreignName: 'other.example.com' }), null);
});

test('drafts and pages of an account are seen by its people only', async () => {
  for (const fields of [
    { isPublished: false },
    { visibility: 'ACCOUNT' },
    { isPublished: false, visibility: 'LINK' },
  ] as const) {
    assert.equal((await visitsOf(fields).visit('/status/example/'))?.status, 404);
    const seen = await visitsOf(fields, true).visit('/status/example/');
    assert.deepEqual([seen?.status, seen?.headers['cache-control']], [200, 'private, no-cache']);
  }
});

test('a page with a link is seen by those who have it', async () => {
  const { visit, access, page } = visitsOf({ visibility: 'LINK' });
  const token = access.linkToken(page);
  assert.equal((await visit('/status/example/'))?.status, 404);
  assert.equal((await visit(`/status/example/~${token}`))?.headers['location'], `/status/example/~${token}/`);
  assert.equal(String((await visit(`/status/example/~${token}/`))?.body), text);
  assert.equal(String((await visit(`/status/example/~${token}/incidents/1.html`))?.body), 'One');
  const foreign = access.linkToken({ ...page, pageId: page.accountId });
  const earlier = access.linkToken({ ...page, url: 'earlier' });
  for (const wrong of [foreign, earlier, `${token}x`, token.slice(1), '']) {
    assert.equal((await visit(`/status/example/~${wrong}/`))?.status, 404);
  }
});

test('a password opens its page until it changes, and few can be tried', async () => {
  const passwordHash = await createPageAccess(Buffer.alloc(32, 7)).hash('correct horse');
  const { visit, site, page, access } = visitsOf({ visibility: 'PASSWORD', passwordHash });
  const form = await visit('/status/example/');
  assert.match(String(form?.body), /type="password"/);
  const told = String(form?.body).replace(/<style>.*<\/style>/s, '');
  assert.doesNotMatch(told, /operational|Example/);
  const unlock = (password: string) =>
    visit('/status/example/unlock', {
      method: 'POST',
      readForm: () => Promise.resolve(new URLSearchParams({ password })),
    });
  assert.equal((await unlock('wrong'))?.status, 403);
  const opened = await unlock('correct horse');
  assert.equal(opened?.status, 303);
  const [cookie = '', ...flags] = (opened?.headers['set-cookie'] ?? '').split('; ');
  assert.ok(flags.includes('Path=/status/example/') && flags.includes('HttpOnly'), flags.join());
  const headers = { cookie: `a=b; ${cookie}` };
  assert.equal(String((await visit('/status/example/', { headers }))?.body), text);
  const isUnlocked = (afterMs: number) => access.isUnlocked(page, cookie, 1_800_000_000_000 + afterMs);
  assert.deepEqual([isUnlocked(12 * 3_600_000 - 1), isUnlocked(12 * 3_600_000)], [true, false]);
  const other = cookie.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
  assert.match(String((await visit('/status/example/', { headers: { cookie: other } }))?.body), /type="password"/);
  assert.equal((await unlock('wrong'))?.status, 403);
  assert.equal((await unlock('correct horse'))?.status, 429);
  site.put({ ...page, passwordHash: await createPageAccess(Buffer.alloc(32, 7)).hash('another one') });
  assert.match(String((await visit('/status/example/', { headers }))?.body), /type="password"/);
});

test('all addresses of an IPv6 network may try few passwords together', async () => {
  const passwordHash = await createPageAccess(Buffer.alloc(32, 7)).hash('correct horse');
  const { visit } = visitsOf({ visibility: 'PASSWORD', passwordHash });
  const statuses: unknown[] = [];
  for (const last of ['1', '2', '3', '4']) {
    const readForm = () => Promise.resolve(new URLSearchParams({ password: 'wrong' }));
    const address = `2001:db8:1:2::${last}`;
    statuses.push((await visit('/status/example/unlock', { method: 'POST', address, readForm }))?.status);
  }
  assert.deepEqual(statuses, [403, 403, 403, 429]);
});

test('an address stays with the page that had it first', async () => {
  const { visit, site, page } = visitsOf();
  site.put({ ...page, pageId: page.accountId, files: new Map() });
  assert.equal(String((await visit('/status/example/'))?.body), text);
  site.remove(page.pageId);
  assert.equal((await visit('/status/example/'))?.status, 404);
});
