// The thread that renders pages: the same files as in this thread, without those that are known, and no page harms another.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { renderPage } from '#publish/render-page.ts';
import type { RenderedPage } from '#publish/serving/rendered-page.ts';
import { compressed } from '#store/base/compressed.ts';
import { troubledSnapshot } from '../../../tests/support/page-snapshots.ts';
import { createPageRenderer } from './page-renderer.ts';

const snapshot = troubledSnapshot('outage', { page: { takesSubscribers: true } });
const images = { logo: { mediaType: 'image/png', content: Uint8Array.of(1, 2, 3) } };
const plain = {
  images,
  known: new Map<string, string>(),
  linkToken: 'token',
  publicUrl: 'https://tocsin.example.com',
  isCopy: false,
};
const etagsOf = ({ files }: RenderedPage) => new Map([...files].map(([path, { etag }]) => [path, etag]));

test('pages are rendered in a thread as they are here, and what is known is left out', async () => {
  const renderer = createPageRenderer((error) => assert.fail(error));
  const content = compressed(snapshot);
  const page = await renderer.render({ ...plain, content });
  const expected = renderPage(snapshot, images, 'https://tocsin.example.com/status/example/');
  assert.deepEqual([...page.files.keys()], [...expected.keys()]);
  for (const [path, { content: text, gzipped, mediaType }] of page.files) {
    assert.ok(text !== null);
    assert.deepEqual(Buffer.from(text), Buffer.from(expected.get(path)?.content ?? ''), path);
    assert.equal(mediaType, expected.get(path)?.mediaType);
    if (gzipped !== null) assert.deepEqual(gunzipSync(gzipped), Buffer.from(text));
  }
  const index = page.files.get('index.html');
  assert.ok((index?.gzipped?.length ?? Infinity) < (index?.content?.length ?? 0) / 2);
  // A minute later, with the same content.
  const later = { ...snapshot, builtAt: snapshot.builtAt + 60_000 };
  const next = await renderer.render({ ...plain, content: compressed(later), known: etagsOf(page) });
  const changed = [...next.files].filter(([, file]) => file.content !== null).map(([path]) => path);
  assert.ok(
    changed.includes('index.html') && !changed.some((path) => /^assets|badge\.svg$/.test(path)),
    changed.join(),
  );
  await renderer.close();
});

test('copies have no form for subscribers, which only Tocsin can take', async () => {
  const renderer = createPageRenderer((error) => assert.fail(error));
  const indexOf = async (isCopy: boolean): Promise<string> => {
    const { files } = await renderer.render({ ...plain, isCopy, content: compressed(snapshot) });
    assert.ok(isCopy === [...files.values()].every(({ gzipped }) => gzipped === null));
    return Buffer.from(files.get('index.html')?.content ?? '').toString();
  };
  assert.match(await indexOf(false), /<form/);
  assert.doesNotMatch(await indexOf(true), /<form/);
  await renderer.close();
});

test('feeds of a page with a link lead to the link, unless it is for readers without it', async () => {
  const renderer = createPageRenderer((error) => assert.fail(error));
  const feedOf = async (customDomain: string | null, linkToken: string | null): Promise<string> => {
    const content = compressed(troubledSnapshot('outage', { page: { visibility: 'LINK', customDomain } }));
    const { files } = await renderer.render({ ...plain, linkToken, content });
    return Buffer.from(files.get('feed.rss')?.content ?? '').toString();
  };
  const path = '/status/example/~token/index.html<';
  assert.ok((await feedOf(null, 'token')).includes(`https://tocsin.example.com${path}`));
  assert.ok((await feedOf('status.example.com', 'token')).includes('https://status.example.com/~token/index.html<'));
  assert.doesNotMatch(await feedOf(null, null), /~/);
  await renderer.close();
});

test('a page that cannot be rendered says why, and others are rendered', async () => {
  const renderer = createPageRenderer((error) => assert.fail(error));
  const broken = renderer.render({ ...plain, content: Buffer.from('{"page":{}}') });
  const fine = renderer.render({ ...plain, content: compressed(snapshot) });
  await assert.rejects(broken);
  assert.ok((await fine).files.size > 10);
  await renderer.close();
});
