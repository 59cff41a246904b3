// Pages are taken up when they were built or changed, those of accounts in turn.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTakeUpPages, type StoredSnapshot } from './take-up-pages.ts';

test('a page is taken up when it was built, and when it was changed though nothing is built; accounts have their turn', async () => {
  const page = (accountId: string, pageId: string) => ({ accountId, pageId, builtAt: 1000, changedAt: 0 });
  let stored: readonly StoredSnapshot[] = [page('a', '1'), page('a', '2'), page('b', '3')];
  let taken: string[] = [];
  const removed: string[] = [];
  const tick = createTakeUpPages({
    list: () => Promise.resolve(stored),
    take: ({ pageId }) => {
      taken.push(pageId);
      return Promise.resolve(true);
    },
    remove: (pageId) => removed.push(pageId),
  });
  const takenInTick = async (): Promise<string[]> => {
    taken = [];
    await tick();
    return taken;
  };
  assert.deepEqual(await takenInTick(), ['1', '3', '2']);
  assert.deepEqual(await takenInTick(), []);
  stored = [page('a', '1'), { ...page('a', '2'), changedAt: 1500 }, { ...page('b', '3'), builtAt: 2000 }];
  assert.deepEqual(await takenInTick(), ['2', '3']);
  stored = [page('a', '1')];
  assert.deepEqual(await takenInTick(), []);
  assert.deepEqual(removed.toSorted(), ['2', '3']);
});
