// Maintenance windows as they are kept, and as the runs of an account see them.
import assert from 'node:assert/strict';
import { newId } from '#lib/id.ts';
import type { Named, NewWindow } from '#store/checks/maintenance-windows.ts';
import { test } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import { putAccount } from '../support/store/rows.ts';
import { PathUnderTest } from './path-under-test.ts';

const write: NewWindow = {
  name: 'Restart',
  description: null,
  tags: ['shop'],
  startsAt: 1000,
  endsAt: 2000,
  repeatInterval: 1,
  repeatUnit: 'DAY',
  repeatEndsAt: null,
  timezone: 'Europe/Berlin',
  pauseAllChecks: false,
  silenceAllAlerts: true,
  isPublic: false,
  silenceAlertsTags: ['eu'],
  checkIds: [],
  groupIds: [],
};

test('a window is kept as it was written, changed, listed by its number and removed, by its account alone', async (newStore) => {
  await using temp = await newStore();
  const { maintenanceWindows } = temp.store;
  const accountId = putAccount(temp.raw);
  const otherId = putAccount(temp.raw);
  const added = await maintenanceWindows.add(accountId, write);
  assert.deepEqual(added, {
    ...write,
    skippedOccurrences: [],
    accountId,
    id: 1,
    createdAt: temp.clock.now(),
    updatedAt: null,
  });
  assert.equal((await maintenanceWindows.add(accountId, { ...write, name: 'Second' })).id, 2);
  assert.equal((await maintenanceWindows.add(otherId, write)).id, 1, 'numbers count up per account');
  assert.deepEqual(await maintenanceWindows.find(accountId, 1), added);
  temp.clock.advance(5000);
  const changed = await maintenanceWindows.change(accountId, 1, (present) => ({ ...present, name: 'Changed' }));
  assert.deepEqual(changed, { ...added, name: 'Changed', updatedAt: temp.clock.now() });
  assert.deepEqual(await maintenanceWindows.find(accountId, 1), changed);
  const { rows, total } = await maintenanceWindows.list(accountId, { limit: 1, offset: 1 });
  assert.deepEqual([rows.map(({ name }) => name), total], [['Second'], 2]);
  assert.equal(await maintenanceWindows.change(otherId, 2, () => ({ ...write, skippedOccurrences: [] })), null);
  assert.equal(await maintenanceWindows.remove(otherId, 2), false);
  assert.equal(await maintenanceWindows.remove(accountId, 2), true);
  assert.equal(await maintenanceWindows.find(accountId, 2), null);
  assert.equal((await maintenanceWindows.add(accountId, write)).id, 3, 'no number is given twice');
});

test('runs see the windows of their account as they stand', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { maintenanceWindows } = test.temp.store;
  await test.check();
  const names = async (): Promise<string[]> => {
    test.temp.clock.advance(10_000);
    await test.schedule();
    const [claimed] = await test.claim();
    assert.ok(claimed?.context);
    await test.record([test.ended(claimed, 'passed')]);
    return claimed.context.maintenanceWindows.map(({ name }) => name);
  };
  assert.deepEqual(await names(), []);
  await maintenanceWindows.add(test.accountId, write);
  await maintenanceWindows.add(putAccount(test.temp.raw), { ...write, name: 'Of another account' });
  assert.deepEqual(await names(), ['Restart']);
  await maintenanceWindows.change(test.accountId, 1, (present) => ({ ...present, name: 'Changed' }));
  assert.deepEqual(await names(), ['Changed']);
  await maintenanceWindows.remove(test.accountId, 1);
  assert.deepEqual(await names(), []);
});

test('a change elsewhere in the account leaves its windows the same objects, whose times are not worked out again', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { maintenanceWindows, variables } = test.temp.store;
  await test.check();
  for (const name of ['One', 'Other']) await maintenanceWindows.add(test.accountId, { ...write, name });
  const seen = async () => {
    test.temp.clock.advance(10_000);
    await test.schedule();
    const [claimed] = await test.claim();
    assert.ok(claimed?.context);
    await test.record([test.ended(claimed, 'passed')]);
    return claimed.context.maintenanceWindows.toSorted((a, b) => a.id - b.id);
  };
  const [one, other] = await seen();
  await variables.add(test.accountId, { key: 'K', value: 'v', locked: false, secret: false });
  await maintenanceWindows.change(test.accountId, 2, (present) => ({ ...present, name: 'Changed' }));
  const [oneLater, otherLater] = await seen();
  assert.equal(oneLater, one);
  assert.notEqual(otherLater, other);
  assert.equal(otherLater?.name, 'Changed');
});

test('checks named by tag, id or group are counted once, and only in their account', async (newStore) => {
  await using test = await PathUnderTest.open(newStore);
  const { store } = test.temp;
  const saved = await store.checkGroups.add({
    group: aGroup(test.accountId, { tags: ['eu'] }),
    subscriptions: null,
    isAutoAssigned: false,
  });
  assert.ok('saved' in saved);
  const groupId = saved.saved.group.id;
  const both = await test.add({ tags: ['shop', 'eu'], groupId });
  await test.add({ groupId });
  await test.add({ tags: ['shop'] });
  const bare = await test.add({});
  const other = putAccount(test.temp.raw);
  const windows = store.maintenanceWindows;
  const count = (named: Named) => windows.countNamed(test.accountId, named);
  assert.deepEqual(
    await Promise.all([
      count({ tags: ['eu'] }),
      count({ tags: ['shop', 'eu'] }),
      count({ tags: ['none'] }),
      count({}),
      count({ checkIds: [bare.id, both.id, newId()] }),
      count({ groupIds: [groupId, 99] }),
      count({ tags: ['shop'], checkIds: [bare.id], groupIds: [groupId] }),
    ]),
    [2, 3, 0, 0, 2, 2, 4],
  );
  const named = { tags: ['eu'], checkIds: [bare.id], groupIds: [groupId] };
  assert.equal(await windows.countNamed(other, named), 0);
  const missing = newId();
  assert.deepEqual(await windows.unknownOf(test.accountId, { checkIds: [bare.id, missing], groupIds: [groupId, 99] }), {
    checkIds: [missing],
    groupIds: [99],
  });
  assert.deepEqual(await windows.unknownOf(other, { checkIds: [bare.id], groupIds: [groupId] }), {
    checkIds: [bare.id],
    groupIds: [groupId],
  });
});
