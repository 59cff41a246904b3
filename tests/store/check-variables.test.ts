// Which variables checks use and nobody defines, asked of the store on both engines.
import assert from 'node:assert/strict';
import { newId } from '#lib/id.ts';
import { test } from '../support/store/each-engine.ts';
import { aCheck, aGroup, noNotifications } from '../support/store/records.ts';
import { putAccount } from '../support/store/rows.ts';

test('a missing variable is found by name with its checks, and is gone once somebody defines it', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const account = putAccount(temp.raw);
  const variable = { key: 'TOKEN', value: 'x', locked: false, secret: false };
  const add = (name: string, variables: readonly string[], more: object = {}) => {
    const check = aCheck(account, { id: newId(), name, ...more });
    return store.checks.add({ check, subscriptions: null, isAutoAssigned: false, variables });
  };
  const saved = await store.checkGroups.add({
    group: aGroup(account, { name: 'G', environmentVariables: [variable] }),
    subscriptions: null,
    isAutoAssigned: false,
  });
  assert.ok('saved' in saved);
  const groupId = saved.saved.group.id;
  const first = await add('A', ['TOKEN', 'HOST']);
  await add('B', ['TOKEN', 'TOKEN']);
  await add('in the group', ['TOKEN'], { groupId });
  await add('off', ['NEVER'], { activated: false });
  const found = async (filter?: Parameters<typeof store.checkVariables.missing>[1]) =>
    (await store.checkVariables.missing(account, filter)).map(({ name, checks, among }) => [name, checks, ...among]);

  assert.deepEqual(await found(), [
    ['HOST', 1, 'A'],
    ['TOKEN', 2, 'A'],
  ]);
  assert.deepEqual(await found({ names: ['HOST', 'NEVER'] }), [['HOST', 1, 'A']]);
  assert.deepEqual(await found({ groupId }), []);
  assert.deepEqual(await store.checkVariables.missing(putAccount(temp.raw)), []);
  await store.variables.add(account, { ...variable, key: 'HOST' });
  await store.checkGroups.remove(account, groupId);
  assert.deepEqual(await found(), [['TOKEN', 3, 'A']]);
  assert.ok('saved' in first);
  const { id } = first.saved.check;
  await store.checks.change(account, id, ({ check }) => ({ check, subscriptions: null, isAutoAssigned: false }));
  assert.deepEqual(await found(), [['TOKEN', 2, 'B']], 'a change that uses none');
  await store.checks.change(account, id, ({ check }) => ({
    check,
    subscriptions: null,
    isAutoAssigned: false,
    variables: ['TOKEN'],
  }));
  await store.checks.remove(account, id, noNotifications);
  assert.deepEqual(await found(), [['TOKEN', 2, 'B']]);
});

test('groups whose defaults use variables are listed with their API checks', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const account = putAccount(temp.raw);
  const addGroup = async (name: string, value: string) => {
    const apiCheckDefaults = { url: '', headers: [{ key: 'a', value, locked: false }] };
    const group = aGroup(account, { name, apiCheckDefaults });
    const saved = await store.checkGroups.add({ group, subscriptions: null, isAutoAssigned: false });
    assert.ok('saved' in saved);
    return saved.saved.group.id;
  };
  const groupId = await addGroup('using', '{{TOKEN}}');
  await addGroup('empty', '{{TOKEN}}');
  const plain = await addGroup('plain', 'x');
  for (const id of [groupId, groupId, plain]) {
    const check = aCheck(account, { id: newId(), groupId: id });
    await store.checks.add({ check, subscriptions: null, isAutoAssigned: false });
  }
  const groups = await store.checkVariables.groups(account);
  assert.deepEqual(
    groups.map(({ id, name, checks }) => [id, name, checks]),
    [[groupId, 'using', 2]],
  );
});

test('checks that use a variable are counted and listed by name, without those of groups that define it', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const account = putAccount(temp.raw);
  const saved = await store.checkGroups.add({ group: aGroup(account), subscriptions: null, isAutoAssigned: false });
  assert.ok('saved' in saved);
  const groupId = saved.saved.group.id;
  const add = (name: string, used: { variables?: string[]; mentioned?: string[] }, more: object = {}) => {
    const check = aCheck(account, { id: newId(), name, ...more });
    return store.checks.add({ check, subscriptions: null, isAutoAssigned: false, ...used });
  };
  await add('B', { variables: ['TOKEN'], mentioned: ['TOKEN', 'HOST'] });
  await add('A', { mentioned: ['TOKEN'] });
  await add('C', { variables: ['TOKEN'] }, { groupId });
  const uses = async (name: string, definers: number[], limit = 10) => {
    const { total, checks } = await store.checkVariables.usesOf(account, name, definers, limit);
    return [total, ...checks.map((check) => `${check.name}${check.isRequired ? '!' : ''}`)];
  };
  assert.deepEqual(await uses('TOKEN', []), [3, 'A', 'B!', 'C!']);
  assert.deepEqual(await uses('TOKEN', [groupId]), [2, 'A', 'B!']);
  assert.deepEqual(await uses('TOKEN', [], 1), [3, 'A']);
  assert.deepEqual(await uses('HOST', []), [1, 'B']);
  const foreign = putAccount(temp.raw);
  assert.equal((await store.checkVariables.usesOf(foreign, 'TOKEN', [], 10)).total, 0);
  const missing = await store.checkVariables.missing(account);
  assert.deepEqual(
    missing.map(({ name, checks }) => [name, checks]),
    [['TOKEN', 2]],
    'mentions are not required',
  );
});
