// Tags of a group count for its checks.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from '../support/store/each-engine.ts';
import { aCheck, aGroup } from '../support/store/records.ts';

test('tags of a group count for its checks wherever tags filter', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const accountId = randomUUID();
  const draft = { subscriptions: null, isAutoAssigned: false };
  const saved = await store.checkGroups.add({ ...draft, group: aGroup(accountId, { tags: ['web', 'e"u'] }) });
  assert.ok('saved' in saved);
  const groupId = saved.saved.group.id;
  for (const change of [
    { name: 'in', tags: ['own'], groupId },
    { name: 'out', tags: ['own'] },
  ]) {
    await store.checks.add({ ...draft, check: aCheck(accountId, change) });
  }
  const names = async (...tags: string[]) =>
    (await store.checks.list(accountId, { tags }, { limit: 10, offset: 0 })).rows.map(({ check }) => check.name);
  assert.deepEqual(await names('web', 'own'), ['in']);
  assert.deepEqual(await names('e"u'), ['in']);
  assert.deepEqual(await names('we'), []);
  assert.deepEqual(await names('Web'), []);
  const reported = await store.checkSubjects.after(accountId, { tags: ['web'], activated: true }, null, 10);
  assert.deepEqual(
    reported.map(({ name }) => name),
    ['in'],
  );
});
