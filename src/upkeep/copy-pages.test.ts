// The loop that copies pages: one process, accounts in turn, private pages removed, failures noted once and repeated later.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CopiedPage, PageCopiesState } from '#domain/status-pages/page-copies.ts';
import { createCopyLease, createCopyPages } from './copy-pages.ts';

/** A place, and processes that share what they note about it. */
function world() {
  let state: PageCopiesState | null = null;
  const shared = {
    now: 1e12,
    pages: [] as CopiedPage[],
    /** Addresses of pages that are not public. */
    secret: new Set<string>(),
    failing: new Set<string>(),
    urls: new Set<string>(),
    done: [] as string[],
    state: () => state,
    page: (accountId: string, url: string, changes: Partial<CopiedPage> = {}): CopiedPage => ({
      accountId,
      pageId: url,
      url,
      builtAt: shared.now,
      fingerprint: 'a',
      changedAt: 0,
      ...changes,
    }),
  };
  const process = (owner: string, renewEveryMs = 0) => {
    const news: (string | null)[] = [];
    const clock = { now: () => shared.now };
    const lease = createCopyLease({
      store: {
        state: () => Promise.resolve(state),
        move: (before, after) => {
          const isFirst = JSON.stringify(before) === JSON.stringify(state);
          if (isFirst) state = after;
          return Promise.resolve(isFirst);
        },
      },
      owner,
      clock,
    });
    const tick = createCopyPages({
      lease,
      pages: () => Promise.resolve(shared.pages),
      place: {
        urls: () => Promise.resolve([...shared.urls]),
        copy: ({ url }, mostBytes) => {
          if (shared.failing.has(url)) return Promise.reject(new Error(`${url} fails`));
          if (shared.secret.has(url)) return Promise.resolve(null);
          if (mostBytes < 40_000_000) return Promise.reject(new Error('too large'));
          shared.urls.add(url);
          shared.done.push(url);
          return Promise.resolve(40_000_000);
        },
        remove: (url) => {
          shared.urls.delete(url);
          shared.done.push(`-${url}`);
          return Promise.resolve();
        },
      },
      renewEveryMs,
      clock,
      onNews: (error) => news.push(error),
    });
    const ticked = async (): Promise<string[]> => {
      shared.done = [];
      await tick();
      return shared.done;
    };
    return { ticked, news };
  };
  return { shared, process };
}

test('accounts have their turn one page at a time, and the copies of one cannot take all space', async () => {
  const { shared, process } = world();
  shared.pages = ['a1', 'a2', 'a3', 'a4', 'b1'].map((url) => shared.page(url.slice(0, 1), url));
  const { ticked, news } = process('one');
  assert.deepEqual(await ticked(), ['a1', 'b1', 'a2']);
  assert.deepEqual(news, ['too large']);
});

test('an unchanged page is copied again when its time is old, a changed one at once', async () => {
  const { shared, process } = world();
  const { ticked } = process('one', 120_000);
  const build = (changes: Partial<CopiedPage> = {}): void => void (shared.pages = [shared.page('a', 'x', changes)]);
  build();
  assert.deepEqual(await ticked(), ['x']);
  assert.deepEqual(await ticked(), []);
  shared.now += 60_000;
  build();
  assert.deepEqual(await ticked(), []);
  build({ fingerprint: 'b' });
  assert.deepEqual(await ticked(), ['x']);
  shared.now += 120_000;
  build({ fingerprint: 'b' });
  assert.deepEqual(await ticked(), ['x']);
});

test('a page that is private, a draft or removed has no copy, also if another process made it', async () => {
  const { shared, process } = world();
  shared.urls.add('old');
  shared.pages = [shared.page('a', 'x'), shared.page('a', 'y')];
  const { ticked } = process('one');
  assert.deepEqual(await ticked(), ['-old', 'x', 'y']);
  shared.secret.add('x');
  shared.pages = [shared.page('a', 'x', { changedAt: 1 }), shared.page('a', 'y')];
  assert.deepEqual(await ticked(), ['-x']);
  shared.pages = [shared.page('a', 'x', { changedAt: 1 })];
  assert.deepEqual(await ticked(), ['-y']);
  assert.deepEqual(await ticked(), []);
  shared.secret.clear();
  shared.pages = [shared.page('a', 'x', { changedAt: 2 })];
  assert.deepEqual(await ticked(), ['x']);
});

test('one process makes copies at a time, and another one goes on after its lease', async () => {
  const { shared, process } = world();
  const [one, two] = [process('one'), process('two')];
  const build = (): void => void (shared.pages = [shared.page('a', 'x')]);
  build();
  assert.deepEqual([await one.ticked(), await two.ticked()], [['x'], []]);
  for (let passed = 0; passed < 60; passed += 10) {
    shared.now += 10_000;
    build();
    assert.deepEqual([await one.ticked(), await two.ticked()], [['x'], []]);
  }
  shared.now += 31_000;
  build();
  assert.deepEqual([await two.ticked(), await one.ticked()], [['x'], []]);
  // A lease from before the clock was set back keeps nobody away.
  shared.now -= 3_600_000;
  build();
  assert.deepEqual(await one.ticked(), ['x']);
});

test('a failure is noted with its begin until all pages are copied, and keeps no other page from its copy', async () => {
  const { shared, process } = world();
  const { ticked, news } = process('one');
  const startedAt = shared.now;
  const build = (): void => void (shared.pages = ['a', 'b', 'c'].map((url) => shared.page(url, url)));
  build();
  shared.failing.add('a');
  assert.deepEqual(await ticked(), ['b', 'c']);
  for (let round = 0; round < 20; round++) {
    shared.now += 60_000;
    build();
    assert.deepEqual(await ticked(), ['b', 'c']);
  }
  assert.deepEqual([shared.state()?.failingSince, shared.state()?.error, news], [startedAt, 'a fails', ['a fails']]);
  shared.failing.clear();
  shared.now += 60_000;
  build();
  assert.ok((await ticked()).includes('a'));
  assert.deepEqual([shared.state()?.failingSince, shared.state()?.error, news], [null, null, ['a fails', null]]);
});

test('a place that fails is tried with three pages, then later', async () => {
  const { shared, process } = world();
  const { ticked } = process('one');
  const tried: string[] = [];
  shared.failing.has = (url) => tried.push(url) > 0;
  shared.pages = Array.from({ length: 20 }, (_, index) => shared.page(`${index}`, `${index}`));
  await ticked();
  assert.deepEqual(tried, ['0', '1', '2']);
});

test('a process that takes over again knows what another one wrote meanwhile', async () => {
  const { shared, process } = world();
  const [one, two] = [process('one'), process('two')];
  const x = shared.page('x', 'x');
  shared.pages = [x];
  assert.deepEqual(await one.ticked(), ['x']);
  shared.now += 60_000;
  shared.pages = [x, shared.page('y', 'y')];
  assert.ok((await two.ticked()).includes('y'));
  shared.now += 60_000;
  shared.pages = [x];
  assert.ok((await one.ticked()).includes('-y'));
});
