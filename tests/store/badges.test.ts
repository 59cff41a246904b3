// Badges on both engines: the state of a group, and revoked links.
import assert from 'node:assert/strict';
import { createBadgeLinks } from '#actions/badges/badge-links.ts';
import { createBadgeActions } from '#actions/badges/badges.ts';
import { newId } from '#lib/id.ts';
import { test } from '../support/store/each-engine.ts';
import { putAccount, putCheck, putGroup, putState } from '../support/store/rows.ts';
import { secretKey } from '../support/store/temp-store.ts';

test('a badge shows the state of its own group, until the links of its account are revoked', async (newStore) => {
  const { store, raw, clock } = await newStore();
  const links = createBadgeLinks({ publicUrl: () => 'https://tocsin.test', secret: secretKey });
  const badges = createBadgeActions({ ...store, targetOf: () => null, links, clock });
  const [accountId, other] = [putAccount(raw), putAccount(raw)];
  for (const account of [accountId, other]) putGroup(raw, account, 1);
  const checkId = putCheck(raw, accountId, { groupId: 1, name: 'Shop' });
  putState({ raw, accountId, clock }, checkId, { status: 'failing', outcome: 'failed', responseUs: 7000 });
  const caller = {
    principal: { kind: 'api-key', id: newId() },
    role: 'admin',
    accountIds: [accountId, other],
  } as const;
  const [own, foreign] = [
    { ...caller, accountId },
    { ...caller, accountId: other },
  ];
  const tokenOf = async (of: typeof own): Promise<string> =>
    new URL(await badges.link(of, { groupId: 1 })).searchParams.get('token') ?? '';
  const [token, foreignToken] = [await tokenOf(own), await tokenOf(foreign)];
  const show = (of: string) => badges.find({ token: of }, { groupId: 1 });
  assert.deepEqual(await show(token), { name: 'group 1', state: 'failing', responseMs: 7 });
  assert.deepEqual(await show(foreignToken), { name: 'group 1', state: 'empty', responseMs: null });

  await Promise.all([badges.revokeLinks(own), badges.revokeLinks(own)]);
  assert.deepEqual(
    [await store.accounts.badgeGeneration(accountId), await store.accounts.badgeGeneration(other)],
    [2, 0],
  );
  clock.advance(10_000);
  await assert.rejects(show(token), { code: 'not-found' });
  assert.equal((await show(foreignToken)).state, 'empty');
  assert.equal((await show(await tokenOf(own))).state, 'failing');
  assert.equal(await store.accounts.badgeGeneration(newId()), null);
});
