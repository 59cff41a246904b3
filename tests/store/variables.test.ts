// Environment variables of accounts: kept, sealed, listed and changed, each under its own account only.
import assert from 'node:assert/strict';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import { newId } from '#lib/id.ts';
import { test } from '../support/store/each-engine.ts';
import { putAccount } from '../support/store/rows.ts';

const plain = (key: string, value: string): EnvironmentVariable => ({ key, value, locked: false, secret: false });

test('variables of an account are listed by their keys, page by page, without those of others', async (newStore) => {
  await using temp = await newStore();
  const { variables } = temp.store;
  const [accountId, foreign] = [putAccount(temp.raw), putAccount(temp.raw)];
  for (const key of ['TOKEN', '_x', 'A1', 'a', 'URL']) {
    assert.equal(await variables.add(accountId, plain(key, `${key} ✓`)), true);
    await variables.add(foreign, plain(key, 'theirs'));
  }
  const ordered = ['A1', 'TOKEN', 'URL', '_x', 'a'];
  const keysAt = async (limit: number, offset: number): Promise<string[]> => {
    const { rows, total } = await variables.list(accountId, { limit, offset });
    assert.equal(total, 5);
    assert.ok(rows.every(({ key, value }) => value === `${key} ✓`));
    return rows.map(({ key }) => key);
  };
  assert.deepEqual(await keysAt(2, 0), ordered.slice(0, 2));
  assert.deepEqual(await keysAt(2, 2), ordered.slice(2, 4));
  assert.deepEqual(await keysAt(10, 4), ordered.slice(4));
  assert.deepEqual(await keysAt(10, 5), []);
  assert.deepEqual(
    (await variables.all(accountId)).map(({ key }) => key),
    ordered,
  );
  assert.deepEqual(await variables.list(newId(), { limit: 10, offset: 0 }), { rows: [], total: 0 });
});

test('a variable is found by its key under its own account, a secret one stands sealed in the database', async (newStore) => {
  await using temp = await newStore();
  const { variables } = temp.store;
  const [accountId, foreign] = [putAccount(temp.raw), putAccount(temp.raw)];
  const secret = { key: 'TOKEN', value: 'canary-of-the-secret', locked: false, secret: true };
  assert.equal(await variables.add(accountId, secret), true);
  const added = { ...secret, createdAt: temp.clock.now(), updatedAt: null };
  assert.equal(await variables.add(accountId, plain('TOKEN', 'other')), false, 'the key is taken');
  assert.deepEqual(await variables.find(accountId, 'TOKEN'), added);
  assert.equal(await variables.find(accountId, 'token'), null);
  assert.equal(await variables.find(foreign, 'TOKEN'), null);
  assert.ok(!temp.stored().includes('canary-of-the-secret'));
});

test('a variable is changed as a whole or not at all, and never its key or that of another account', async (newStore) => {
  await using temp = await newStore();
  const { store, clock } = temp;
  const { variables } = store;
  const [accountId, foreign] = [putAccount(temp.raw), putAccount(temp.raw)];
  const createdAt = clock.now();
  for (const id of [accountId, foreign]) await variables.add(id, plain('URL', 'old'));
  await variables.add(accountId, plain('OTHER', 'stays'));
  clock.advance(5000);
  const next = { value: 'canary-once-plain', locked: false, secret: true };
  const changed = { key: 'URL', ...next, createdAt, updatedAt: createdAt + 5000 };
  assert.deepEqual(await variables.change(accountId, 'URL', () => ({ key: 'MOVED', ...next })), changed);
  assert.deepEqual(await variables.find(accountId, 'URL'), changed);
  assert.ok(!temp.stored().includes('canary-once-plain'), 'it is sealed from now on');
  assert.equal(await variables.find(accountId, 'MOVED'), null);
  const refusal = new Error('refused');
  await assert.rejects(
    variables.change(accountId, 'URL', () => {
      throw refusal;
    }),
    refusal,
  );
  assert.equal(await variables.change(accountId, 'NONE', (present) => present), null);
  assert.deepEqual(await variables.find(accountId, 'URL'), changed);
  assert.equal((await variables.find(accountId, 'OTHER'))?.value, 'stays');
  assert.deepEqual(await variables.find(foreign, 'URL'), { ...plain('URL', 'old'), createdAt, updatedAt: null });
});

test('a variable is removed once, under its own account only', async (newStore) => {
  await using temp = await newStore();
  const { variables } = temp.store;
  const [accountId, foreign] = [putAccount(temp.raw), putAccount(temp.raw)];
  for (const id of [accountId, foreign]) await variables.add(id, plain('URL', 'x'));
  await variables.add(accountId, plain('OTHER', 'y'));
  assert.equal(await variables.remove(accountId, 'URL'), true);
  assert.equal(await variables.remove(accountId, 'URL'), false);
  assert.deepEqual(
    (await variables.all(accountId)).map(({ key }) => key),
    ['OTHER'],
  );
  assert.equal((await variables.find(foreign, 'URL'))?.value, 'x');
});
