// Links for other passwords on both engines.
import assert from 'node:assert/strict';
import { ensureFirstAccount } from '#actions/accounts/setup.ts';
import { tokenHash } from '#actions/accounts/key-text.ts';
import { sessionMaxMs } from '#domain/accounts/user.ts';
import { newId } from '#lib/id.ts';
import { test } from '../support/store/each-engine.ts';

test('a link for another password works once, replaces an earlier one, and ends all sessions', async (newStore) => {
  const { store, clock } = await newStore();
  const { users, sessions, passwordResets } = store;
  await ensureFirstAccount({ apiKeys: store.apiKeys, clock });
  const [id, now] = [newId(), clock.now()];
  const plain = { isProven: true, isOperator: true, hasSecondFactor: false, createdAt: now, lastSignInAt: null };
  await users.addFirst({ ...plain, id, email: 'ada@example.com', passwordHash: 'old' });
  const times = { createdAt: now, lastSeenAt: now, expiresAt: now + sessionMaxMs };
  await sessions.add({ ...times, id: newId(), userId: id, userAgent: '', openedBy: 'password' }, tokenHash('s'));
  await passwordResets.add(id, tokenHash('first'));
  await passwordResets.add(id, tokenHash('second'));
  assert.equal(await passwordResets.find(tokenHash('first')), null);
  assert.deepEqual(await passwordResets.find(tokenHash('second')), { id, email: 'ada@example.com' });
  const uses = await Promise.all(['a', 'b'].map((hash) => passwordResets.use(tokenHash('second'), hash)));
  assert.equal(uses.filter(Boolean).length, 1);
  assert.equal((await users.find(id))?.passwordHash, uses[0] ? 'a' : 'b');
  assert.deepEqual(await sessions.list(id), []);

  await passwordResets.add(id, tokenHash('third'));
  assert.equal(await users.changePassword(id, uses[0] ? 'a' : 'b', 'new'), true);
  assert.equal(await passwordResets.find(tokenHash('third')), null);
});
