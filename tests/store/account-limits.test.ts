// An account has no more of anything than it may: also when many are added at once, and as far as an operator says otherwise.
import assert from 'node:assert/strict';
import { tokenHash } from '#actions/accounts/key-text.ts';
import { type LimitName, LimitReachedError } from '#domain/accounts/account.ts';
import type { ApiKey } from '#domain/accounts/api-key.ts';
import { newId } from '#lib/id.ts';
import { test } from '../support/store/each-engine.ts';
import { aChannel, aCheck, aGroup, aWindow } from '../support/store/records.ts';
import { aStatusIncident, aStatusPage, aStatusService } from '../support/store/status-pages.ts';
import { putAccount } from '../support/store/rows.ts';
import type { TempStore } from '../support/store/temp-store.ts';

/** Adds the n-th of each. */
function adders(
  { store }: Pick<TempStore, 'store'>,
  accountId: string,
): Record<Exclude<LimitName, 'variableBytes' | 'scriptFileBytes'>, (n: number) => Promise<unknown>> {
  const noSubscriptions = { subscriptions: null, isAutoAssigned: false };
  return {
    checks: () => store.checks.add({ check: aCheck(accountId), ...noSubscriptions }),
    checkGroups: () => store.checkGroups.add({ group: aGroup(accountId), ...noSubscriptions }),
    alertChannels: () => store.alertChannels.add({ channel: aChannel(accountId), subscriptions: null }),
    maintenanceWindows: () => store.maintenanceWindows.add(accountId, aWindow(accountId)),
    variables: (n) => store.variables.add(accountId, { key: `KEY_${n}`, value: '', locked: false, secret: false }),
    privateLocations: (n) => {
      const key = { id: newId(), locationId: newId(), hash: Buffer.alloc(32), prefix: 'pl_' };
      const write = { name: 'Office', slugName: `${accountId.slice(-12)}-${n}`, icon: 'location' };
      return store.privateLocations.add(accountId, key.locationId, write, key);
    },
    snippets: () => store.snippets.add(accountId, { name: 'Log in', script: '1;' }),
    statusPages: (n) => store.statusPages.add({ ...aStatusPage(accountId), url: `page-${accountId}-${n}` }, {}),
    statusServices: () => store.statusServices.add(aStatusService(accountId)),
    statusIncidents: () => store.statusIncidents.add(aStatusIncident(accountId)),
    statusSubscribers: async (n) => {
      const [first] = await store.statusPages.all(accountId);
      const page = { accountId, pageId: first?.id ?? '' };
      return store.statusSubscribers.add(page, [{ email: `${n}@example.com`, serviceIds: null }], true);
    },
    clientCertificates: (n) => store.clientCertificates.add(accountId, { ...identity, host: `${n}.example` }),
    apiKeys: (n) => store.apiKeys.add(aKey(accountId), tokenHash(`tsn_${accountId}_${n}`)),
  };
}

const identity = { cert: 'a certificate', ca: null, key: 'a key', passphrase: null };

function aKey(accountId: string): ApiKey {
  const blank = { createdAt: 1, lastUsedAt: null, expiresAt: null } as const;
  return { id: newId(), name: 'CI', prefix: 'tsn_', role: 'read-only', accountIds: [accountId], ...blank };
}

test('of each resource no more is added than the account may have, also by many at once, and others are not counted', async (newStore) => {
  await using temp = await newStore();
  const { accounts } = temp.store;
  const [accountId, otherId] = [putAccount(temp.raw), putAccount(temp.raw)];
  const limits = {
    checks: 3,
    checkGroups: 3,
    alertChannels: 3,
    maintenanceWindows: 3,
    apiKeys: 3,
    variables: 3,
    clientCertificates: 3,
    privateLocations: 3,
    snippets: 3,
    statusPages: 3,
    statusServices: 3,
    statusIncidents: 3,
    statusSubscribers: 3,
  };
  await accounts.change(accountId, { limits });
  const [own, others] = [adders(temp, accountId), adders(temp, otherId)];
  for (const [name, add] of Object.entries(own)) {
    await others[name as keyof typeof others](0);
    const added = await Promise.allSettled([1, 2, 3, 4, 5, 6].map((n) => add(n)));
    const refused = added.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
    assert.equal(refused.length, 3, `${name}: ${refused.join()}`);
    for (const error of refused) assert.ok(error instanceof LimitReachedError && error.used === 3, String(error));
    await accounts.change(accountId, { limits: { ...limits, [name]: 4 } });
    await add(7);
    await assert.rejects(add(8), LimitReachedError);
    await accounts.change(accountId, { limits: { ...limits, [name]: 0 } });
    await add(9);
  }
});

test('many checks are added together, or none if they do not all fit', async (newStore) => {
  await using temp = await newStore();
  const { accounts, checks } = temp.store;
  const accountId = putAccount(temp.raw);
  await accounts.change(accountId, { limits: { checks: 3 } });
  const many = (count: number) =>
    checks.addAll(
      accountId,
      Array.from({ length: count }, () => ({ check: aCheck(accountId), subscriptions: null, isAutoAssigned: false })),
    );
  const total = async () => (await checks.list(accountId, {}, { limit: 10, offset: 0 })).total;
  await assert.rejects(many(4), LimitReachedError);
  assert.equal(await total(), 0);
  assert.equal((await many(2)).length, 2);
  await assert.rejects(many(2), LimitReachedError);
  assert.equal(await total(), 2);
});

test('the variables of an account are limited in bytes for every writer and can always shrink', async (newStore) => {
  await using temp = await newStore();
  const { accounts, variables } = temp.store;
  const accountId = putAccount(temp.raw);
  await accounts.change(accountId, { limits: { variableBytes: 100 } });
  const plain = { locked: false, secret: false };
  const add = (key: string, length: number) => variables.add(accountId, { key, value: 'x'.repeat(length), ...plain });
  const resize = (key: string, length: number) =>
    variables.change(accountId, key, (present) => ({ ...present, value: 'é'.repeat(length) }));
  const isRefused =
    (used: number, limit = 100) =>
    (error: unknown) =>
      error instanceof LimitReachedError && error.used === used && error.limit === limit;
  await add('A', 59);
  await assert.rejects(add('B', 40), isRefused(60));
  assert.equal(await variables.find(accountId, 'B'), null);
  const both = await Promise.allSettled([add('B', 29), add('C', 29)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  await assert.rejects(resize('A', 40), isRefused(90));
  await resize('A', 34);
  await accounts.change(accountId, { limits: { variableBytes: 50 } });
  await resize('A', 30);
  await resize('A', 30);
  await assert.rejects(resize('A', 31), isRefused(91, 50));
  await accounts.change(accountId, { limits: { variableBytes: 0 } });
  await resize('A', 5000);
});
