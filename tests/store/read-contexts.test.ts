// Checks read beside a running service, page by page, while it changes what they depend on.
import assert from 'node:assert/strict';
import { openSide } from '#cli/move-sides.ts';
import { readContexts } from '#store/copy/read-contexts.ts';
import { test } from '../support/store/each-engine.ts';
import { aCheck, aGroup } from '../support/store/records.ts';
import { putAccount } from '../support/store/rows.ts';
import { secretKey } from '../support/store/temp-store.ts';

test('a check is read with the group that it has then: one that was made meanwhile, or none when that was deleted', async (newStore) => {
  await using temp = await newStore();
  const { raw, store } = temp;
  const accountId = putAccount(raw);
  const newGroup = async (): Promise<number> => {
    const added = await store.checkGroups.add({ group: aGroup(accountId), subscriptions: null, isAutoAssigned: false });
    assert.ok('saved' in added);
    return added.saved.group.id;
  };
  const newCheck = async (): Promise<string> => {
    const added = await store.checks.add({ check: aCheck(accountId), subscriptions: null, isAutoAssigned: false });
    assert.ok('saved' in added);
    return added.saved.check.id;
  };
  const join = (id: string, groupId: number): Promise<unknown> =>
    store.checks.change(accountId, id, ({ check }) => ({
      check: { ...check, groupId },
      subscriptions: null,
      isAutoAssigned: false,
    }));
  // More than are read at once: the last ones are read when the changes have been made.
  const ids: string[] = [];
  while (ids.length < 203) ids.push(await newCheck());
  ids.sort();
  const [kept, left, moved] = ids.slice(200);
  assert.ok(kept !== undefined && left !== undefined && moved !== undefined);
  const [stays, goes] = [await newGroup(), await newGroup()];
  await join(kept, stays);
  await join(left, goes);
  let comes: number | null = null;
  const side = await openSide(temp.address, 'read');
  try {
    const groups = new Map<string, number | null>();
    for await (const { check, group } of readContexts(side, secretKey, ['API'])) {
      if (groups.size === 0) {
        await store.checkGroups.remove(accountId, goes);
        comes = await newGroup();
        await join(moved, comes);
      }
      groups.set(check.id, group?.id ?? null);
    }
    assert.equal(groups.size, ids.length);
    assert.deepEqual(
      [kept, left, moved].map((id) => groups.get(id)),
      [stays, null, comes],
    );
  } finally {
    await side.close();
  }
});
