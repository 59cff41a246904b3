// Accounts and API keys: the first ones, who reaches what, and how soon a revoked key stops.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { createAccountActions } from '#actions/accounts/accounts.ts';
import { createApiKeyActions } from '#actions/accounts/api-keys.ts';
import { createAuthentication } from '#actions/accounts/authenticate.ts';
import { ensureFirstAccount } from '#actions/accounts/setup.ts';
import { Refusal } from '#actions/refusal.ts';
import { scriptRules } from '#app/scripts/script-rules.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { Runtime } from '#domain/checks/runtime.ts';
import { newId } from '#lib/id.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import type { TempStore } from '../support/store/temp-store.ts';

const runtime: Runtime = {
  name: '2026.10',
  stage: 'CURRENT',
  multiStepSupport: false,
  nodeJsVersion: 'v24.21.0',
  dependencies: {},
  runtimeEndOfLife: null,
  description: null,
};
const newAccount = {
  name: 'Shop',
  runtimeId: null,
  settings: null,
  alertSettings: null,
  executionLimit: null,
  limits: null,
  timeZone: null,
  requiresSecondFactor: false,
};

function open({ store, clock }: TempStore) {
  const authentication = createAuthentication({ ...store, clock });
  const { forget } = authentication;
  return {
    authentication,
    accounts: createAccountActions({ ...store, ...scriptRules, runtimes: () => [runtime], forget, clock }),
    apiKeys: createApiKeyActions({ apiKeys: store.apiKeys, forgetKey: forget, clock }),
    callerOf: async (key: string, accountId?: string): Promise<Caller> => {
      const holder = await authentication.authenticate(key);
      assert.ok(holder);
      const { keyId, role, accountIds } = holder;
      return {
        principal: { kind: 'api-key', id: keyId },
        role,
        accountIds,
        accountId: accountId ?? accountIds[0] ?? '',
      };
    },
  };
}

const refusedWith = (code: string) => (error: unknown) => error instanceof Refusal && error.code === code;

onSqlite('an empty database gets one account and one operator key, the second start gets neither', async (newStore) => {
  await using temp = await newStore();
  const { store, clock } = temp;
  const first = await ensureFirstAccount({ apiKeys: store.apiKeys, clock });
  assert.match(first?.key ?? '', /^tsn_[A-Za-z0-9_-]{43}$/);
  assert.equal(await ensureFirstAccount({ apiKeys: store.apiKeys, clock }), null);
  const { callerOf, accounts } = open(temp);
  const caller = await callerOf(first?.key ?? '');
  assert.equal(caller.role, 'operator');
  assert.deepEqual(
    (await accounts.list(caller)).map(({ id, name }) => ({ id, name })),
    [{ id: first?.accountId, name: 'Default' }],
  );
  const row = temp.raw.prepare('SELECT * FROM api_keys').get();
  assert.deepEqual(Buffer.from(row?.['hash'] as Uint8Array), hash('sha256', first?.key ?? '', 'buffer'));
  assert.ok(!Object.values(row ?? {}).includes(first?.key ?? ''));
});

onSqlite('the first key and account can be given by the operator', async (newStore) => {
  await using temp = await newStore();
  const accountId = newId();
  const key = `tsn_${'k'.repeat(32)}`;
  await ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock }, { key, accountId });
  assert.equal((await open(temp).callerOf(key)).accountId, accountId);
  await assert.rejects(
    ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock }, { key: 'short' }),
    /tsn_ and 32 to 128/,
  );
});

test('the key that makes an account reaches it at once, after the accounts it had', async (newStore) => {
  await using temp = await newStore();
  const { store, clock } = temp;
  const first = await ensureFirstAccount({ apiKeys: store.apiKeys, clock });
  const { accounts, callerOf } = open(temp);
  const key = first?.key ?? '';
  const made = await accounts.create(await callerOf(key), { ...newAccount, executionLimit: 5 });
  const caller = await callerOf(key);
  assert.deepEqual(caller.accountIds, [first?.accountId, made.id]);
  assert.deepEqual(
    (await accounts.list(caller)).map(({ name }) => name),
    ['Default', 'Shop'],
  );
  assert.equal((await accounts.usage(caller, made.id)).limit, 5);
  assert.deepEqual(await accounts.usage(caller, 'me'), {
    from: Date.UTC(2026, 2, 1),
    to: Date.UTC(2026, 3, 1),
    used: 0,
    limit: null,
  });
});

test('a change of an account is seen by the next read, and keeps what it does not name', async (newStore) => {
  await using temp = await newStore();
  const first = await ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock });
  const { accounts, callerOf } = open(temp);
  const caller = await callerOf(first?.key ?? '');
  await accounts.list(caller);
  await accounts.change(caller, 'me', { runtimeId: '2026.10', settings: { note: 'ünïcode ✓' } });
  await accounts.change(caller, caller.accountId.toUpperCase(), { name: null });
  const account = await accounts.find(caller, 'me');
  assert.deepEqual([account.name, account.runtimeId, account.settings], [null, '2026.10', { note: 'ünïcode ✓' }]);
  await assert.rejects(
    accounts.change(caller, 'me', { runtimeId: '1999.01' }),
    /runtimeId: must be one of 2026\.10, or null/,
  );
  await assert.rejects(accounts.find(caller, newId()), refusedWith('not-found'));
});

onSqlite(
  'an account’s admin cannot lift its limits, make accounts or operators, or take an operator’s key away',
  async (newStore) => {
    await using temp = await newStore();
    const first = await ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock });
    const { accounts, apiKeys, callerOf } = open(temp);
    const operator = await callerOf(first?.key ?? '');
    const made = await apiKeys.create(operator, { name: 'tenant', role: 'admin', expiresAt: null });
    const admin = await callerOf(made.key);
    await accounts.change(operator, 'me', { executionLimit: 5, limits: { checks: 2 } });
    for (const change of [
      { executionLimit: 6 },
      { executionLimit: null },
      { limits: null },
      { limits: { checks: 3 } },
    ]) {
      await assert.rejects(accounts.change(admin, 'me', change), refusedWith('forbidden'), JSON.stringify(change));
    }
    const sent = await accounts.change(admin, 'me', { name: 'Own', executionLimit: 5, limits: { checks: 2 } });
    assert.deepEqual([sent.name, sent.executionLimit, sent.limits], ['Own', 5, { checks: 2 }]);
    await assert.rejects(accounts.create(admin, newAccount), refusedWith('forbidden'));
    const wanted = { name: 'up', role: 'operator', expiresAt: null } as const;
    await assert.rejects(apiKeys.create(admin, wanted), refusedWith('forbidden'));
    await assert.rejects(apiKeys.revoke(admin, operator.principal.id), refusedWith('forbidden'));
    const second = await apiKeys.create(operator, wanted);
    assert.equal((await callerOf(second.key)).role, 'operator');
    await apiKeys.revoke(await callerOf(second.key), operator.principal.id);
  },
);

onSqlite('only an admin key changes accounts or sees keys', async (newStore) => {
  await using temp = await newStore();
  const first = await ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock });
  const { accounts, apiKeys, callerOf } = open(temp);
  const admin = await callerOf(first?.key ?? '');
  const { key } = await apiKeys.create(admin, { name: 'CI', role: 'read-write', expiresAt: null });
  const caller = await callerOf(key);
  await assert.rejects(accounts.create(caller, newAccount), refusedWith('forbidden'));
  await assert.rejects(accounts.change(caller, 'me', { name: 'mine' }), refusedWith('forbidden'));
  await assert.rejects(apiKeys.list(caller, { limit: 10, offset: 0 }), refusedWith('forbidden'));
  await assert.rejects(apiKeys.create(caller, { name: 'x', role: 'admin', expiresAt: null }), refusedWith('forbidden'));
});

onSqlite('an expired key stops at its instant, also while it is remembered', async (newStore) => {
  await using temp = await newStore();
  const first = await ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock });
  const { apiKeys, callerOf, authentication } = open(temp);
  const admin = await callerOf(first?.key ?? '');
  const expiresAt = temp.clock.now() + 5000;
  const { key } = await apiKeys.create(admin, { name: 'short', role: 'read-only', expiresAt });
  assert.equal((await authentication.authenticate(key))?.role, 'read-only');
  temp.clock.advance(4999);
  assert.ok(await authentication.authenticate(key));
  temp.clock.advance(1);
  assert.equal(await authentication.authenticate(key), null);
  await assert.rejects(
    apiKeys.create(admin, { name: 'late', role: 'admin', expiresAt: temp.clock.now() }),
    /expiresAt must be in the future/,
  );
});

test('a revoked key stops at once here, and within ten seconds when another process revoked it', async (newStore) => {
  await using temp = await newStore();
  const first = await ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock });
  const { apiKeys, callerOf, authentication } = open(temp);
  const other = createAuthentication({ ...temp.store, clock: temp.clock });
  const admin = await callerOf(first?.key ?? '');
  const made = await apiKeys.create(admin, { name: 'CI', role: 'read-run', expiresAt: null });
  assert.ok(await authentication.authenticate(made.key));
  assert.ok(await other.authenticate(made.key));
  await apiKeys.revoke(admin, made.id);
  assert.equal(await authentication.authenticate(made.key), null);
  assert.ok(await other.authenticate(made.key), 'still believed there');
  temp.clock.advance(10_000);
  assert.equal(await other.authenticate(made.key), null);
  await assert.rejects(apiKeys.revoke(admin, made.id), refusedWith('not-found'));
  await assert.rejects(apiKeys.revoke(admin, admin.principal.id), refusedWith('conflict'));
});

test('an account that a key was given by another process is reached at once by who names it', async (newStore) => {
  await using temp = await newStore();
  const first = await ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock });
  const key = first?.key ?? '';
  const { accounts, callerOf } = open(temp);
  const other = createAuthentication({ ...temp.store, clock: temp.clock });
  const before = await other.authenticate(key);
  const { id } = await accounts.create(await callerOf(key), newAccount);
  assert.equal(await other.authenticate(key), before, 'who names no account is answered from memory');
  assert.deepEqual((await other.authenticate(key, id))?.accountIds, [first?.accountId, id]);
});

onSqlite('a key cannot be given accounts that its maker does not reach', async (newStore) => {
  await using temp = await newStore();
  const first = await ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock });
  const { accounts, apiKeys, callerOf } = open(temp);
  const admin = await callerOf(first?.key ?? '');
  const second = await accounts.create(admin, newAccount);
  const both = await callerOf(first?.key ?? '');
  const alone = await apiKeys.create(both, { name: 'second', role: 'admin', accountIds: [second.id], expiresAt: null });
  const caller = await callerOf(alone.key);
  const foreign = { name: 'x', role: 'admin', accountIds: [admin.accountId], expiresAt: null } as const;
  await assert.rejects(apiKeys.create(caller, foreign), refusedWith('forbidden'));
  await assert.rejects(apiKeys.create(caller, { ...foreign, accountIds: [newId()] }), refusedWith('forbidden'));
});

test('revoking a key that also reaches foreign accounts takes away the shared ones only', async (newStore) => {
  await using temp = await newStore();
  const first = await ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock });
  const { accounts, apiKeys, callerOf } = open(temp);
  const operator = await callerOf(first?.key ?? '');
  const second = await accounts.create(operator, newAccount);
  const { accountIds } = await callerOf(first?.key ?? '');
  const reaching = { ...operator, accountIds };
  const shared = await apiKeys.create(reaching, { name: 'both', role: 'admin', accountIds, expiresAt: null });
  const both = await callerOf(shared.key);
  const alone = await apiKeys.create(both, { name: 'second', role: 'admin', accountIds: [second.id], expiresAt: null });
  const caller = await callerOf(alone.key);
  const seen = await apiKeys.list(caller, { limit: 10, offset: 0 });
  assert.deepEqual(
    seen.rows.map((key) => key.accountIds),
    [[second.id], [second.id], [second.id]],
  );
  await apiKeys.revoke(caller, both.principal.id);
  temp.clock.advance(10_000);
  assert.deepEqual((await callerOf(shared.key)).accountIds, [first?.accountId]);
});

onSqlite(
  'a key is found by its id by who shares an account with it, and shown with the shared accounts only',
  async (newStore) => {
    await using temp = await newStore();
    const { store, clock } = temp;
    const first = await ensureFirstAccount({ apiKeys: store.apiKeys, clock });
    const { accounts, apiKeys, callerOf } = open(temp);
    const admin = await callerOf(first?.key ?? '');
    const { key: _, ...apiKey } = await apiKeys.create(admin, {
      name: 'CI ✓',
      role: 'read-run',
      expiresAt: clock.now() + 5000,
    });
    assert.deepEqual(await apiKeys.find(admin, apiKey.id.toUpperCase()), apiKey);
    const made = await accounts.create(admin, newAccount);
    assert.deepEqual((await apiKeys.find(admin, admin.principal.id)).accountIds, [admin.accountId]);
    const both = { ...admin, accountIds: [admin.accountId, made.id] };
    assert.deepEqual((await apiKeys.find(both, admin.principal.id)).accountIds, [admin.accountId, made.id]);
    const stranger = { ...admin, accountId: newId(), accountIds: [newId()] };
    await assert.rejects(apiKeys.find(stranger, apiKey.id), refusedWith('not-found'));
    for (const id of [newId(), 'none']) await assert.rejects(apiKeys.find(admin, id), refusedWith('not-found'));
  },
);

test('hundreds of keys are listed page by page, each once', async (newStore) => {
  await using temp = await newStore();
  const first = await ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock });
  const { apiKeys, callerOf } = open(temp);
  const admin = await callerOf(first?.key ?? '');
  for (let index = 0; index < 230; index++) {
    temp.clock.advance(1);
    await apiKeys.create(admin, { name: `key ${index} 🔑`, role: 'read-only', expiresAt: null });
  }
  const names = new Set<string>();
  for (let offset = 0; offset < 231; offset += 100) {
    const { rows, total } = await apiKeys.list(admin, { limit: 100, offset });
    assert.equal(total, 231);
    for (const { name } of rows) names.add(name);
  }
  assert.equal(names.size, 231);
});

onSqlite('the last use of a key is written, at most once a minute', async (newStore) => {
  await using temp = await newStore();
  const first = await ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock });
  const marks: number[] = [];
  const writes: Promise<void>[] = [];
  const { apiKeys } = temp.store;
  const authentication = createAuthentication({
    apiKeys: {
      ...apiKeys,
      markUsed: (id, at) => {
        marks.push(at);
        const written = apiKeys.markUsed(id, at);
        writes.push(written);
        return written;
      },
    },
    sessions: temp.store.sessions,
    clock: temp.clock,
  });
  const key = first?.key ?? '';
  const start = temp.clock.now();
  for (let second = 0; second < 130; second++) {
    assert.ok(await authentication.authenticate(key));
    // A second takes longer than a write.
    await Promise.all(writes);
    temp.clock.advance(1000);
  }
  assert.deepEqual(marks, [start, start + 60_000, start + 120_000]);
  assert.equal(temp.raw.prepare('SELECT last_used_at AS at FROM api_keys').get()?.['at'], start + 120_000);
});

test('a remembered key is answered from memory, without a turn of the loop', async (newStore) => {
  await using temp = await newStore();
  const first = await ensureFirstAccount({ apiKeys: temp.store.apiKeys, clock: temp.clock });
  const { authentication } = open(temp);
  const key = first?.key ?? '';
  await authentication.authenticate(key);
  assert.ok(!(authentication.authenticate(key) instanceof Promise));
  authentication.forget();
  const again = authentication.authenticate(key);
  assert.ok(again instanceof Promise, 'what may have changed elsewhere is read again');
  assert.ok(await again);
});
