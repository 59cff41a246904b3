// The audit log: what a change leaves in it, who is named, and what is removed, on both engines.
import assert from 'node:assert/strict';
import type { Acting, AuditEntry } from '#domain/accounts/audit-entry.ts';
import { newId } from '#lib/id.ts';
import { runAs } from '#store/base/audit/acting.ts';
import type { Store } from '#store/store.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import { putAccount } from '../support/store/rows.ts';

const acting = (name: string, accountId: string | null = null): Acting => ({
  actor: { kind: 'user', id: newId(), name },
  accountId,
  operation: `of ${name}`,
  address: '192.0.2.7',
  requestId: 'r-1',
});
const all = (store: Store, accountId: string): Promise<AuditEntry[]> => store.auditLog.walk(accountId, {}, null, 1000);
const variable = { key: 'SHOP', value: 'one', locked: false, secret: false };

test('a change is recorded with the values before and after, in the account that it is about', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const [accountId, foreign] = [putAccount(temp.raw), putAccount(temp.raw)];
  await runAs({ ...acting('ada@shop.example'), via: 'mcp' }, async () => {
    await store.variables.add(accountId, variable);
    await store.variables.change(accountId, 'SHOP', (present) => ({ ...present, value: 'two' }));
    await store.variables.remove(accountId, 'SHOP');
    assert.equal(await store.variables.remove(accountId, 'SHOP'), false, 'nothing to remove');
  });
  const found = (await all(store, accountId)).toReversed();
  assert.deepEqual(
    found.map(({ resource, resourceId, count, changes }) => ({ resource, resourceId, count, ...changes[0] })),
    [
      {
        action: 'created',
        fields: [
          { path: 'value', to: 'one' },
          { path: 'locked', to: false },
          { path: 'secret', to: false },
        ],
      },
      { action: 'updated', fields: [{ path: 'value', from: 'one', to: 'two' }] },
      {
        action: 'deleted',
        fields: [
          { path: 'value', from: 'two' },
          { path: 'locked', from: false },
          { path: 'secret', from: false },
        ],
      },
    ].map((change) => ({ resource: 'variable', resourceId: 'SHOP', count: 1, id: 'SHOP', name: 'SHOP', ...change })),
  );
  const [first] = found;
  assert.deepEqual(
    [first?.actor.name, first?.operation, first?.via, first?.address, first?.requestId],
    ['ada@shop.example', 'of ada@shop.example', 'mcp', '192.0.2.7', 'r-1'],
  );
  assert.deepEqual(await all(store, foreign), []);
});

onSqlite('of a secret, an entry says only that it changed, and an unchanged one is not mentioned', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const accountId = putAccount(temp.raw);
  await runAs(acting('ada'), async () => {
    await store.variables.add(accountId, { key: 'T', value: 'canary-one', locked: false, secret: true });
    await store.variables.change(accountId, 'T', (present) => ({ ...present, value: 'canary-two' }));
    await store.variables.change(accountId, 'T', (present) => ({ ...present, locked: true }));
  });
  const found = await all(store, accountId);
  assert.ok(!JSON.stringify(found).includes('canary'));
  assert.deepEqual(
    found.map(({ changes }) => changes[0]?.fields),
    [
      [{ path: 'locked', from: false, to: true }],
      [{ path: 'value', isSecret: true }],
      [
        { path: 'value', isSecret: true },
        { path: 'locked', to: false },
        { path: 'secret', to: true },
      ],
    ],
  );
});

test('a change that fails leaves no entry, and the service itself leaves none', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const accountId = putAccount(temp.raw);
  await store.variables.add(accountId, variable);
  const failing = runAs(acting('ada'), () =>
    store.variables.change(accountId, 'SHOP', () => {
      throw new Error('refused');
    }),
  );
  await assert.rejects(failing, /refused/);
  assert.deepEqual(await all(store, accountId), []);
});

test('concurrent changes are recorded under the names of those who made them', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const accountId = putAccount(temp.raw);
  const names = Array.from({ length: 30 }, (_, index) => `P${index}`);
  await Promise.all(names.map((key) => runAs(acting(key), () => store.variables.add(accountId, { ...variable, key }))));
  const found = await all(store, accountId);
  assert.deepEqual(
    found.map(({ actor, resourceId }) => `${actor.name} ${resourceId}`).toSorted(),
    names.map((name) => `${name} ${name}`).toSorted(),
  );
});

test('entries are filtered, and read page by page', async (newStore) => {
  await using temp = await newStore();
  const { store, clock } = temp;
  const accountId = putAccount(temp.raw);
  const [ada, ben] = [acting('ada'), acting('ben')];
  await runAs(ada, () => store.variables.add(accountId, { ...variable, key: 'A' }));
  clock.advance(60_000);
  const later = clock.now();
  await runAs(ben, () => store.variables.add(accountId, { ...variable, key: 'B' }));
  await runAs(ada, () => store.variables.remove(accountId, 'A'));
  const ids = async (filter: Parameters<typeof store.auditLog.walk>[1], before: string | null = null, limit = 10) =>
    (await store.auditLog.walk(accountId, filter, before, limit)).map(({ id }) => id);
  const [third = '', second = '', first = ''] = await ids({});
  assert.deepEqual(await ids({ actorId: ada.actor.id ?? '' }), [third, first]);
  assert.deepEqual(await ids({ operation: 'of ben' }), [second]);
  assert.deepEqual(await ids({ resource: 'variable', resourceId: 'A' }), [third, first]);
  assert.deepEqual(await ids({ resource: 'check' }), []);
  assert.deepEqual(await ids({ from: later }), [third, second]);
  assert.deepEqual(await ids({ to: later - 1 }), [first]);
  assert.deepEqual(await ids({}, null, 2), [third, second]);
  assert.deepEqual(await ids({}, second, 2), [first]);
});

test('the database refuses to change an entry', async (newStore) => {
  await using temp = await newStore();
  const { store } = temp;
  const accountId = putAccount(temp.raw);
  await runAs(acting('ada'), () => store.variables.add(accountId, variable));
  assert.throws(() => temp.raw.exec(`UPDATE audit_log SET actor_name = 'ben'`), /append-only/);
  assert.equal((await all(store, accountId))[0]?.actor.name, 'ada');
});

test('entries are deleted after their retention, and of too many those of the actor with the most', async (newStore) => {
  await using temp = await newStore();
  const { store, clock } = temp;
  const accountId = putAccount(temp.raw);
  const [ada, flood] = [acting('ada'), acting('flood')];
  const add = (who: Acting, key: string) => runAs(who, () => store.variables.add(accountId, { ...variable, key }));
  await add(ada, 'OLD');
  clock.advance(10_000);
  assert.equal(await store.auditLog.removeSome(clock.now() - 5000), 1);
  assert.equal(await store.auditLog.removeSome(clock.now() - 5000), 0);
  await add(ada, 'A');
  for (let index = 0; index < 20; index++) await add(flood, `F${index}`);
  assert.equal(await store.auditLog.removeSome(0, 10), 20);
  const [summary, ...others] = await all(store, accountId);
  assert.deepEqual(
    others.map(({ resourceId }) => resourceId),
    ['A'],
    'others keep theirs',
  );
  assert.deepEqual(
    [summary?.actor.name, summary?.resourceName, summary?.count, summary?.changes[0]?.fields],
    ['retention', 'flood', 20, [{ path: 'of flood', from: 20 }]],
  );
  assert.equal(await store.auditLog.removeSome(0, 10), 0);
});
