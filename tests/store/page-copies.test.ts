// Pages that may be copied out of the installation, and the state of copies, which processes share.
import assert from 'node:assert/strict';
import { pageCopyNotices } from '#actions/operating/own-notices.ts';
import { newId } from '#lib/id.ts';
import { exampleSnapshot } from '../support/page-snapshots.ts';
import { idBytes } from '#store/base/codec.ts';
import { test } from '../support/store/each-engine.ts';
import { putAccount } from '../support/store/rows.ts';
import { aStatusPage } from '../support/store/status-pages.ts';

test('published pages are listed at the addresses that are their own, whatever else they have', async (newStore) => {
  await using temp = await newStore();
  const { statusPages, statusSnapshots, pageCopies } = temp.store;
  const accountId = putAccount(temp.raw);
  const add = async (fields: Parameters<typeof aStatusPage>[1]): Promise<string> => {
    const page = await statusPages.add(aStatusPage(accountId, fields), {});
    assert.ok('id' in page);
    const snapshot = exampleSnapshot();
    const own = { ...snapshot, page: { ...snapshot.page, id: page.id } };
    await statusSnapshots.write(accountId, [{ fingerprint: 'a', snapshot: own }]);
    return page.id;
  };
  const id = await add({ url: 'shown', customDomain: 'status.example.com' });
  await add({ url: 'draft', isPublished: false });
  const moved = await add({ url: 'moved' });
  const listed = async () => (await pageCopies.pages()).map(({ pageId, url }) => `${url} ${pageId}`).toSorted();
  assert.deepEqual(await listed(), [`moved ${moved}`, `shown ${id}`]);
  // The address belongs to another page since.
  temp.raw.prepare(`UPDATE status_page_addresses SET page_id = ? WHERE address = 'path:moved'`).run(idBytes(newId()));
  assert.deepEqual(await listed(), [`shown ${id}`]);
  const [before] = await pageCopies.pages();
  await statusPages.change(accountId, id, (page) => ({ ...page, url: 'renamed' }), {});
  const [after] = await pageCopies.pages();
  assert.deepEqual([before?.url, after?.url], ['shown', 'renamed']);
  assert.ok((after?.changedAt ?? 0) > (before?.changedAt ?? 0));
});

test('the state of copies changes only from what was read, and a failure is a notice after ten minutes', async (newStore) => {
  await using temp = await newStore();
  const { pageCopies, figures } = temp.store;
  const state = { owner: 'one', leasedUntil: 10_000, failingSince: 1000, error: 'the disk is full' };
  assert.equal(await pageCopies.state('folder'), null);
  assert.ok(await pageCopies.move('folder', null, state));
  assert.ok(!(await pageCopies.move('folder', null, { ...state, owner: 'two' })));
  const minute = 60_000;
  const notices = async (now: number) => pageCopyNotices((place) => pageCopies.state(place), now);
  const until = { ...state, leasedUntil: 11 * minute };
  assert.ok(await pageCopies.move('folder', state, until));
  assert.deepEqual(await notices(10 * minute), []);
  const [notice, ...others] = await notices(10 * minute + 1000);
  assert.deepEqual(
    [notice?.kind, notice?.since, notice?.subject, others.length],
    ['page-copies-failed', 1000, 'TOCSIN_PUBLISH_FOLDER', 0],
  );
  assert.equal(notice?.message, 'Copies of status pages in the folder are not up to date: the disk is full.');
  assert.equal(await figures.failingPageCopies(10 * minute), 1);
  // The operator took the folder away: no process keeps the lease.
  assert.deepEqual([await notices(30 * minute), await figures.failingPageCopies(30 * minute)], [[], 0]);
  assert.ok(await pageCopies.move('folder', until, { ...until, failingSince: null, error: null }));
  assert.deepEqual([await notices(11 * minute), await figures.failingPageCopies(11 * minute)], [[], 0]);
});
