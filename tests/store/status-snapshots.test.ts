// Snapshots of status pages as they are stored, listed for processes that serve visitors, and removed with their pages.
import assert from 'node:assert/strict';
import type { PageSnapshot } from '#domain/status-pages/page-snapshot.ts';
import { decodeSnapshot } from '#store/overview/status-snapshots.ts';
import { newId } from '#lib/id.ts';
import type { StatusPage } from '#domain/status-pages/status-page.ts';
import { test } from '../support/store/each-engine.ts';
import { putAccount } from '../support/store/rows.ts';
import { aStatusPage } from '../support/store/status-pages.ts';

/** An empty snapshot of a page. */
function aSnapshot(page: Pick<StatusPage, 'id' | 'url'>, builtAt: number): PageSnapshot {
  return {
    builtAt,
    page: {
      id: page.id,
      name: 'Example status',
      url: page.url,
      customDomain: null,
      description: null,
      defaultTheme: 'AUTO',
      themeColors: { light: null, dark: null },
      redirectTo: null,
      footerText: null,
      texts: {},
      allowIndexing: true,
      language: 'en',
      links: [],
      visibility: 'PUBLIC',
      timeZone: 'UTC',
      images: {},
      takesSubscribers: false,
    },
    state: 'operational',
    since: null,
    cards: [],
    incidents: [],
    maintenance: [],
  };
}

test('a snapshot is listed and read until its page is removed, and none is kept of a page that is gone', async (newStore) => {
  await using temp = await newStore();
  const { statusPages, statusSnapshots } = temp.store;
  const accountId = putAccount(temp.raw);
  const otherId = putAccount(temp.raw);
  const logo = { mediaType: 'image/png', content: Uint8Array.of(1, 2, 3) };
  const page = await statusPages.add(aStatusPage(accountId, { visibility: 'LINK' }), { logo });
  assert.ok('id' in page);
  assert.deepEqual(await statusSnapshots.accounts(), [accountId]);
  assert.deepEqual(await statusSnapshots.list(), []);
  assert.equal(await statusSnapshots.read(accountId, page.id), null);
  const gone = { fingerprint: 'b', snapshot: aSnapshot({ id: newId(), url: 'gone' }, 2000) };
  for (const at of [1000, 2000]) {
    await statusSnapshots.write(accountId, [{ fingerprint: `a${at}`, snapshot: aSnapshot(page, at) }, gone]);
  }
  await statusSnapshots.write(otherId, [{ fingerprint: 'foreign', snapshot: aSnapshot(page, 3000) }]);
  const listed = { accountId, pageId: page.id, builtAt: 2000, fingerprint: 'a2000', changedAt: 0 };
  assert.deepEqual(await statusSnapshots.list(), [listed]);
  const changed = await statusPages.change(accountId, page.id, (present) => ({ ...present, name: 'Changed' }), {});
  assert.ok(changed !== null && 'updatedAt' in changed && changed.updatedAt !== null);
  assert.deepEqual(await statusSnapshots.list(), [{ ...listed, changedAt: changed.updatedAt }]);
  const { images, content, ...read } = (await statusSnapshots.read(accountId, page.id)) ?? assert.fail();
  const snapshot = aSnapshot(page, 2000);
  assert.deepEqual(decodeSnapshot(content), snapshot);
  assert.deepEqual(read, { url: page.url, isPublished: true, visibility: 'LINK', passwordHash: null });
  assert.deepEqual([...(images.logo?.content ?? [])], [1, 2, 3]);
  assert.equal(await statusSnapshots.read(otherId, page.id), null);
  assert.equal(await statusPages.remove(accountId, page.id), true);
  assert.deepEqual(await statusSnapshots.list(), []);
});
