// Moving checks into a group and out of it, on both engines.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe } from 'node:test';
import { idText } from '#store/base/codec.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import { it, type NewStore } from '../support/store/each-engine.ts';
import { aGroup } from '../support/store/records.ts';
import { PathUnderTest } from './path-under-test.ts';

async function withGroup(newStore: NewStore, change: Partial<CheckGroup> = {}) {
  const test = await PathUnderTest.open(newStore);
  const { accountId } = test;
  const { store } = test.temp;
  const group = { ...aGroup(accountId), ...change };
  const added = await store.checkGroups.add({ group, subscriptions: [], isAutoAssigned: false });
  assert.ok('saved' in added);
  const { id } = added.saved.group;
  const groupOf = async (checkId: string) => (await store.checks.find(accountId, checkId))?.check.groupId;
  const move = (add: readonly string[], remove: readonly string[] = []) =>
    store.checkGroups.moveChecks(accountId, id, { add, remove });
  const scheduled = (): readonly string[] =>
    (test.rows('SELECT check_id FROM schedules') as unknown as { check_id: Uint8Array }[]).map((row) =>
      idText(row.check_id),
    );
  return { test, store, scheduled, accountId, id, groupOf, move };
}

describe('checks of a group', () => {
  it('join it and leave it in one transaction, with the schedules that follow from it', async (newStore) => {
    const { test, id, scheduled, groupOf, move } = await withGroup(newStore, { activated: false });
    const [one, two] = [await test.check({ name: 'One' }), await test.check({ name: 'Two' })];
    assert.deepEqual(await move([one, two]), { saved: { added: 2, removed: 0 } });
    assert.deepEqual([await groupOf(one), await groupOf(two)], [id, id]);
    assert.deepEqual(scheduled(), [], 'the group is deactivated');
    assert.deepEqual(await move([two], [one]), { saved: { added: 0, removed: 1 } });
    assert.deepEqual([await groupOf(one), await groupOf(two)], [null, id]);
    assert.deepEqual(scheduled(), [one]);
  });

  it('are not moved if one is unknown or would close a cycle', async (newStore) => {
    const { test, store, accountId, id, groupOf, move } = await withGroup(newStore);
    const database = await test.check({ name: 'Database' });
    const app = await test.check({ name: 'App' });
    assert.deepEqual(await move([app, randomUUID()]), { dangling: 'add[1]' });
    assert.equal(await groupOf(app), null);
    await store.checkGroups.change(accountId, id, ({ group }) => ({
      group: { ...group, dependsOn: [database] },
      subscriptions: null,
      isAutoAssigned: false,
    }));
    await store.checks.change(accountId, database, ({ check }) => ({
      check: { ...check, dependsOn: [app] },
      subscriptions: null,
      isAutoAssigned: false,
    }));
    const other = await test.check({ name: 'Other' });
    assert.deepEqual(await move([other, app]), { cycle: ['App', 'Database', 'App'] });
    assert.deepEqual([await groupOf(other), await groupOf(app)], [null, null]);
    const stranger = randomUUID();
    assert.equal(await store.checkGroups.moveChecks(stranger, id, { add: [app], remove: [] }), null);
  });
});
