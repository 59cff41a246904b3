// Second factors on both engines: each code works once, and accounts that require one.
import assert from 'node:assert/strict';
import { ensureFirstAccount } from '#actions/accounts/setup.ts';
import { tokenHash } from '#actions/accounts/key-text.ts';
import { sessionMaxMs } from '#domain/accounts/user.ts';
import { newId } from '#lib/id.ts';
import { test } from '../support/store/each-engine.ts';
import type { TempStore } from '../support/store/temp-store.ts';

/** An operator with a second factor of step 100 and two recovery codes, and a session of theirs. */
async function enrolled({ store, clock }: TempStore) {
  const first = await ensureFirstAccount({ apiKeys: store.apiKeys, clock });
  const { accountId } = first ?? assert.fail('there is an account already');
  const now = clock.now();
  const plain = { isProven: true, isOperator: true, hasSecondFactor: false, createdAt: now, lastSignInAt: null };
  const id = newId();
  await store.users.addFirst({ ...plain, id, email: 'ada@example.com', passwordHash: 'hash' });
  const times = { createdAt: now, lastSeenAt: now, expiresAt: now + sessionMaxMs };
  await store.sessions.add({ ...times, id: newId(), userId: id, userAgent: '', openedBy: 'totp' }, tokenHash('a'));
  const { secondFactors } = store;
  assert.equal(await secondFactors.begin(id, 'SECRET'), true);
  assert.equal(await secondFactors.isOn(id), false, 'not confirmed yet');
  assert.equal(await secondFactors.confirm(id, 100, now, ['one', 'two']), true);
  const found = await secondFactors.find(id);
  assert.deepEqual(found, { secret: 'SECRET', since: now, lastStep: 100, recoveryHashes: ['one', 'two'] });
  return { id, accountId, secondFactors };
}

test('a confirmed second factor is neither confirmed again nor replaced by another secret', async (newStore) => {
  const temp = await newStore();
  const { id, secondFactors } = await enrolled(temp);
  assert.equal(await secondFactors.begin(id, 'OTHER'), false);
  assert.equal(await secondFactors.confirm(id, 1, 1, []), false);
  assert.equal((await temp.store.users.find(id))?.hasSecondFactor, true);
  assert.equal(await secondFactors.remove(id), true);
  assert.equal(await secondFactors.find(id), null);
});

test('of several uses of a step or a recovery code at the same time, one succeeds', async (newStore) => {
  const temp = await newStore();
  const { id, secondFactors } = await enrolled(temp);
  const factor = (await secondFactors.find(id)) ?? assert.fail();
  const steps = await Promise.all([101, 101, 101].map((step) => secondFactors.useStep(id, factor, step)));
  assert.equal(steps.filter(Boolean).length, 1);
  const codes = await Promise.all(['one', 'one'].map(() => secondFactors.replaceRecovery(id, factor, ['two'])));
  assert.equal(codes.filter(Boolean).length, 1);
  const left = await secondFactors.find(id);
  assert.deepEqual([left?.lastStep, left?.recoveryHashes], [101, ['two']]);
});

test('a session says which accounts wait for a second factor, and how it was opened', async (newStore) => {
  const { store, ...temp } = await newStore();
  const { id, accountId, secondFactors } = await enrolled({ store, ...temp });
  const access = async () => (await store.sessions.findByHash(tokenHash('a')))?.principal.memberships;
  assert.deepEqual(await access(), [{ accountId, role: 'owner' }]);
  await store.accounts.change(accountId, { requiresSecondFactor: true });
  assert.deepEqual(await access(), [{ accountId, role: 'owner' }]);
  await secondFactors.remove(id);
  assert.deepEqual(await access(), [{ accountId, role: 'owner', needsSecondFactor: true }]);
  assert.deepEqual(
    (await store.sessions.list(id)).map(({ openedBy }) => openedBy),
    ['totp'],
  );
});
