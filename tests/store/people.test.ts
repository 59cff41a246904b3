// People, sessions, setup links and invitations on both engines.
import assert from 'node:assert/strict';
import { ensureFirstAccount } from '#actions/accounts/setup.ts';
import { tokenHash } from '#actions/accounts/key-text.ts';
import type { Account } from '#domain/accounts/account.ts';
import { type Invite, inviteMaxMs, type Session, sessionIdleMs, sessionMaxMs } from '#domain/accounts/user.ts';
import { newId } from '#lib/id.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import type { TempStore } from '../support/store/temp-store.ts';

const page = { limit: 10, offset: 0 };
const dayMs = 86_400_000;

async function firstAccount({ store, clock }: TempStore): Promise<{ accountId: string; keyId: string }> {
  const first = await ensureFirstAccount({ apiKeys: store.apiKeys, clock });
  assert.ok(first);
  const { rows } = await store.apiKeys.list([first.accountId], page);
  return { accountId: first.accountId, keyId: rows[0]?.id ?? '' };
}

function newUser({ clock }: TempStore, email: string) {
  return {
    id: newId(),
    email,
    isProven: true,
    passwordHash: 'hash',
    isOperator: true,
    hasSecondFactor: false,
    createdAt: clock.now(),
    lastSignInAt: null,
  };
}

function newSession({ clock }: TempStore, userId: string): Session {
  const now = clock.now();
  const id = newId();
  return {
    id,
    userId,
    createdAt: now,
    lastSeenAt: now,
    expiresAt: now + sessionMaxMs,
    userAgent: 'Firefox',
    openedBy: 'password',
  };
}

function newInvite({ clock }: TempStore, accountId: string, email: string, role: Invite['role'] = 'read-only'): Invite {
  const createdAt = clock.now();
  return { id: newId(), accountId, email, isMailed: false, role, createdAt, expiresAt: createdAt + inviteMaxMs };
}

function newAccount({ clock }: TempStore): Account {
  const unset = {
    runtimeId: null,
    settings: null,
    alertSettings: null,
    executionLimit: null,
    limits: null,
    timeZone: null,
    requiresSecondFactor: false,
  };
  return { ...unset, id: newId(), name: 'Second', createdAt: clock.now() };
}

/** Joins a person to an account by an invitation. */
async function join(temp: TempStore, accountId: string, email: string, role: Invite['role']) {
  const invite = newInvite(temp, accountId, email, role);
  assert.equal(await temp.store.invites.add(invite, tokenHash(invite.id)), 'added');
  const user = { ...newUser(temp, email), isProven: false, isOperator: false };
  assert.equal(await temp.store.invites.accept(invite, user, []), 'accepted');
  return user;
}

onSqlite('the first user operates and owns the oldest account, and there is only one first user', async (newStore) => {
  await using temp = await newStore();
  const { users } = temp.store;
  const { accountId, keyId } = await firstAccount(temp);
  temp.clock.advance(1);
  await temp.store.accounts.add(newAccount(temp), { kind: 'api-key', id: keyId });
  assert.equal(await users.isEmpty(), true);
  const ada = newUser(temp, 'ada@example.com');
  assert.equal(await users.addFirst(ada), true);
  assert.equal(await users.addFirst(newUser(temp, 'bob@example.com')), false);
  assert.equal(await users.isEmpty(), false);
  assert.deepEqual(await users.withEmail('ada@example.com'), [ada]);
  assert.deepEqual(await users.find(ada.id), ada);
  assert.deepEqual(await users.withEmail('bob@example.com'), []);
  const { id, email, createdAt, lastSignInAt } = ada;
  const member = { id, email, role: 'owner' as const, isMapped: false, createdAt, lastSignInAt };
  assert.deepEqual(await users.members(accountId, page), { rows: [member], total: 1 });
  assert.deepEqual(await users.member(accountId, id), member);
  assert.equal(await users.member(newId(), id), null);
});

onSqlite('a person who makes an account owns it, and it comes after the first', async (newStore) => {
  await using temp = await newStore();
  const { accountId } = await firstAccount(temp);
  const ada = newUser(temp, 'ada@example.com');
  await temp.store.users.addFirst(ada);
  temp.clock.advance(1);
  const second = newAccount(temp);
  await temp.store.accounts.add(second, { kind: 'user', id: ada.id });
  await temp.store.sessions.add(newSession(temp, ada.id), tokenHash('a'));
  const open = await temp.store.sessions.findByHash(tokenHash('a'));
  assert.deepEqual(open?.principal.memberships, [
    { accountId, role: 'owner' },
    { accountId: second.id, role: 'owner' },
  ]);
});

test('a password is replaced only where it is still the one that was read', async (newStore) => {
  await using temp = await newStore();
  await firstAccount(temp);
  const ada = newUser(temp, 'ada@example.com');
  await temp.store.users.addFirst(ada);
  assert.equal(await temp.store.users.changePassword(ada.id, 'other', 'new'), false);
  assert.equal(await temp.store.users.changePassword(ada.id, 'hash', 'new'), true);
  assert.equal((await temp.store.users.find(ada.id))?.passwordHash, 'new');
});

test('the last owner can neither be demoted nor removed', async (newStore) => {
  await using temp = await newStore();
  const { users } = temp.store;
  const { accountId } = await firstAccount(temp);
  const ada = newUser(temp, 'ada@example.com');
  await users.addFirst(ada);
  const bob = await join(temp, accountId, 'bob@example.com', 'admin');
  assert.equal(await users.changeRole(accountId, ada.id, 'admin'), 'last-owner');
  assert.equal(await users.removeMember(accountId, ada.id), 'last-owner');
  assert.equal(await users.changeRole(accountId, newId(), 'admin'), 'not-found');
  assert.equal(await users.removeMember(newId(), bob.id), 'not-found');
  assert.equal(await users.changeRole(accountId, bob.id, 'owner'), 'changed');
  assert.equal(await users.changeRole(accountId, ada.id, 'read-only'), 'changed');
  assert.deepEqual(
    (await users.members(accountId, page)).rows.map(({ email, role }) => [email, role]),
    [
      ['ada@example.com', 'read-only'],
      ['bob@example.com', 'owner'],
    ],
  );
  assert.equal(await users.removeMember(accountId, bob.id), 'last-owner');
});

test('two owners who remove each other at the same time leave one', async (newStore) => {
  await using temp = await newStore();
  const { users } = temp.store;
  const { accountId } = await firstAccount(temp);
  const ada = newUser(temp, 'ada@example.com');
  await users.addFirst(ada);
  const bob = await join(temp, accountId, 'bob@example.com', 'owner');
  const outcomes = await Promise.all([ada, bob].map(({ id }) => users.removeMember(accountId, id)));
  assert.deepEqual(outcomes.toSorted(), ['changed', 'last-owner']);
});

test('a person without any account left is deleted with their sessions', async (newStore) => {
  await using temp = await newStore();
  const { users, sessions, accounts, invites } = temp.store;
  const { accountId, keyId } = await firstAccount(temp);
  await users.addFirst(newUser(temp, 'ada@example.com'));
  const second = newAccount(temp);
  await accounts.add(second, { kind: 'api-key', id: keyId });
  const bob = await join(temp, accountId, 'bob@example.com', 'read-write');
  const invite = newInvite(temp, second.id, bob.email);
  await invites.add(invite, tokenHash(invite.id));
  assert.equal(await invites.accept(invite, bob.id, [bob.id]), 'accepted');
  await sessions.add(newSession(temp, bob.id), tokenHash('b'));
  assert.equal(await users.removeMember(accountId, bob.id), 'changed');
  assert.equal((await sessions.findByHash(tokenHash('b')))?.principal.memberships.length, 1);
  assert.equal(await users.removeMember(second.id, bob.id), 'changed');
  assert.equal(await sessions.findByHash(tokenHash('b')), null);
  assert.deepEqual(await users.withEmail(bob.email), []);
});

test('a session ends when idle, at its end whatever happens, and when it is ended', async (newStore) => {
  await using temp = await newStore();
  const { users, sessions } = temp.store;
  await firstAccount(temp);
  const ada = newUser(temp, 'ada@example.com');
  await users.addFirst(ada);
  const session = newSession(temp, ada.id);
  const hash = tokenHash('t');
  await sessions.add(session, hash);
  const open = await sessions.findByHash(hash);
  assert.deepEqual(open?.session, session);
  const { id, email, isOperator } = ada;
  assert.equal(open?.principal.memberships.length, 1);
  assert.deepEqual(
    { ...open?.principal, memberships: [] },
    { kind: 'user', id, email, isOperator, sessionId: session.id, memberships: [] },
  );
  assert.equal((await users.find(ada.id))?.lastSignInAt, session.createdAt);
  assert.equal(await sessions.findByHash(tokenHash('other')), null);
  for (let days = 0; days < 84; days += 12) {
    temp.clock.advance(12 * dayMs);
    assert.ok(await sessions.findByHash(hash), `after ${days + 12} days`);
    await sessions.markSeen(session.id, temp.clock.now());
  }
  temp.clock.advance(6 * dayMs);
  assert.equal(await sessions.findByHash(hash), null, 'after 90 days');
  const idle = newSession(temp, ada.id);
  await sessions.add(idle, tokenHash('idle'));
  assert.deepEqual(await sessions.list(ada.id), [idle], 'the expired one was deleted');
  temp.clock.advance(sessionIdleMs);
  assert.equal(await sessions.findByHash(tokenHash('idle')), null);
  assert.deepEqual(await sessions.list(ada.id), []);
});

test('sessions are ended by their person alone: one, all but one, or all', async (newStore) => {
  await using temp = await newStore();
  const { users, sessions } = temp.store;
  const { accountId } = await firstAccount(temp);
  const ada = newUser(temp, 'ada@example.com');
  await users.addFirst(ada);
  const bob = await join(temp, accountId, 'bob@example.com', 'admin');
  const made: Session[] = [];
  for (const name of ['1', '2', '3', '4']) {
    temp.clock.advance(1000);
    const session = newSession(temp, ada.id);
    made.push(session);
    await sessions.add(session, tokenHash(name));
  }
  const idsOf = async () => (await sessions.list(ada.id)).map(({ id }) => id);
  const [first = '', second = '', third = '', fourth = ''] = made.map(({ id }) => id);
  assert.deepEqual(await idsOf(), [fourth, third, second, first]);
  assert.equal(await sessions.end(bob.id, first), false);
  assert.equal(await sessions.end(ada.id, first), true);
  assert.equal(await sessions.end(ada.id, first), false);
  await sessions.endAll(ada.id, second);
  assert.deepEqual(await idsOf(), [second]);
  await sessions.endAll(ada.id);
  assert.deepEqual(await idsOf(), []);
});

onSqlite('a person has at most 50 sessions: the oldest make room', async (newStore) => {
  await using temp = await newStore();
  await firstAccount(temp);
  const ada = newUser(temp, 'ada@example.com');
  await temp.store.users.addFirst(ada);
  for (let count = 0; count < 52; count++) {
    temp.clock.advance(1000);
    await temp.store.sessions.add(newSession(temp, ada.id), tokenHash(String(count)));
  }
  assert.equal((await temp.store.sessions.list(ada.id)).length, 50);
  assert.equal(await temp.store.sessions.findByHash(tokenHash('1')), null);
  assert.ok(await temp.store.sessions.findByHash(tokenHash('2')));
});

test('a setup link works once and for a day; those of starts only until there is a user', async (newStore) => {
  await using temp = await newStore();
  const { setupLinks, users } = temp.store;
  const { accountId } = await firstAccount(temp);
  for (const name of ['a', 'b', 'old']) await setupLinks.add(tokenHash(name), true);
  temp.clock.advance(dayMs);
  assert.equal(await setupLinks.isValid(tokenHash('old')), false);
  assert.equal(await setupLinks.use(tokenHash('old'), newUser(temp, 'eve@example.com')), null);
  for (const name of ['c', 'd']) await setupLinks.add(tokenHash(name), true);
  assert.equal(await setupLinks.isValid(tokenHash('c')), true);
  const ada = newUser(temp, 'ada@example.com');
  assert.equal(await setupLinks.use(tokenHash('c'), ada), ada.id);
  for (const name of ['c', 'd', 'unknown']) {
    assert.equal(await setupLinks.isValid(tokenHash(name)), false, name);
    assert.equal(await setupLinks.use(tokenHash(name), newUser(temp, 'eve@example.com')), null, name);
  }
  assert.equal((await users.member(accountId, ada.id))?.role, 'owner');
});

test('two people who use one setup link at the same time make one user', async (newStore) => {
  await using temp = await newStore();
  await firstAccount(temp);
  await temp.store.setupLinks.add(tokenHash('a'), true);
  const people = ['ada@example.com', 'bob@example.com'].map((email) => newUser(temp, email));
  const used = await Promise.all(people.map((user) => temp.store.setupLinks.use(tokenHash('a'), user)));
  assert.equal(used.filter((id) => id !== null).length, 1);
});

onSqlite(
  'a link of new-user makes another operator, or sets the password of the person who has the email',
  async (newStore) => {
    await using temp = await newStore();
    const { setupLinks, users, sessions } = temp.store;
    const { accountId } = await firstAccount(temp);
    await users.addFirst(newUser(temp, 'ada@example.com'));
    const bob = await join(temp, accountId, 'bob@example.com', 'read-only');
    await sessions.add(newSession(temp, bob.id), tokenHash('session'));
    for (const name of ['a', 'b']) await setupLinks.add(tokenHash(name), false);
    const again = { ...newUser(temp, 'bob@example.com'), passwordHash: 'new' };
    assert.equal(await setupLinks.use(tokenHash('a'), again), bob.id);
    const { passwordHash, isOperator } = (await users.find(bob.id)) ?? {};
    assert.deepEqual([passwordHash, isOperator], ['new', true]);
    assert.equal(await sessions.findByHash(tokenHash('session')), null);
    assert.equal((await users.member(accountId, bob.id))?.role, 'read-only');
    const eve = newUser(temp, 'eve@example.com');
    assert.equal(await setupLinks.use(tokenHash('b'), eve), eve.id);
    assert.equal((await users.find(eve.id))?.isOperator, true);
  },
);

test('an invitation is replaced by a newer one of the same email, and works once and for seven days', async (newStore) => {
  await using temp = await newStore();
  const { invites, users } = temp.store;
  const { accountId } = await firstAccount(temp);
  await users.addFirst(newUser(temp, 'ada@example.com'));
  const [first, second] = ['admin', 'read-run'].map((role) =>
    newInvite(temp, accountId, 'bob@example.com', role as Invite['role']),
  );
  assert.ok(first && second);
  for (const invite of [first, second]) assert.equal(await invites.add(invite, tokenHash(invite.id)), 'added');
  assert.deepEqual(await invites.list(accountId, page), { rows: [second], total: 1 });
  assert.equal(await invites.findByHash(tokenHash(first.id)), null);
  assert.deepEqual(await invites.findByHash(tokenHash(second.id)), second);
  assert.deepEqual(await invites.find(accountId, second.id), second);
  assert.equal(await invites.find(newId(), second.id), null);
  const bob = { ...newUser(temp, 'bob@example.com'), isProven: false, isOperator: false };
  assert.equal(await invites.accept(second, bob, []), 'accepted');
  assert.equal(await invites.accept(second, bob.id, [bob.id]), 'invalid');
  assert.equal((await users.member(accountId, bob.id))?.role, 'read-run');
  const again = newInvite(temp, accountId, 'bob@example.com');
  assert.equal(await invites.add(again, tokenHash(again.id)), 'is-member');
  const carol = newInvite(temp, accountId, 'carol@example.com');
  await invites.add(carol, tokenHash(carol.id));
  assert.equal(await invites.remove(newId(), carol.id), false);
  assert.equal(await invites.remove(accountId, carol.id), true);
  const dave = newInvite(temp, accountId, 'dave@example.com');
  await invites.add(dave, tokenHash(dave.id));
  temp.clock.advance(inviteMaxMs);
  assert.equal(await invites.findByHash(tokenHash(dave.id)), null);
  assert.deepEqual(await invites.list(accountId, page), { rows: [], total: 0 });
});

test('an address has one proven user, who takes over what others with the address have', async (newStore) => {
  await using temp = await newStore();
  const { users, sessions, accounts, invites } = temp.store;
  const { accountId, keyId } = await firstAccount(temp);
  const second = newAccount(temp);
  await accounts.add(second, { kind: 'api-key', id: keyId });
  const claimed = await join(temp, accountId, 'bob@example.com', 'read-run');
  await sessions.add(newSession(temp, claimed.id), tokenHash('claimed'));
  const invite = { ...newInvite(temp, second.id, 'bob@example.com', 'admin'), isMailed: true };
  await invites.add(invite, tokenHash(invite.id));
  assert.deepEqual(await invites.findByHash(tokenHash(invite.id)), invite);
  temp.clock.advance(1);
  const bob = { ...newUser(temp, 'bob@example.com'), isOperator: false, passwordHash: 'of bob' };
  assert.equal(await invites.accept(invite, bob, []), 'outdated', 'somebody else has the address meanwhile');
  assert.equal(await invites.accept(invite, bob, [claimed.id]), 'accepted');
  assert.deepEqual(await users.withEmail('bob@example.com'), [bob]);
  assert.equal(await sessions.findByHash(tokenHash('claimed')), null);
  await sessions.add(newSession(temp, bob.id), tokenHash('bob'));
  assert.deepEqual((await sessions.findByHash(tokenHash('bob')))?.principal.memberships, [
    { accountId: second.id, role: 'admin' },
    { accountId, role: 'read-run' },
  ]);
});

onSqlite('a link of new-user does not hand the installation to a user of another account', async (newStore) => {
  await using temp = await newStore();
  const { setupLinks, users, accounts } = temp.store;
  const { accountId, keyId } = await firstAccount(temp);
  temp.clock.advance(1);
  const second = newAccount(temp);
  await accounts.add(second, { kind: 'api-key', id: keyId });
  const claimed = await join(temp, second.id, 'ada@example.com', 'admin');
  await setupLinks.add(tokenHash('a'), false);
  const ada = newUser(temp, 'ada@example.com');
  assert.equal(await setupLinks.use(tokenHash('a'), ada), ada.id);
  assert.equal(await users.find(claimed.id), null);
  assert.equal((await users.member(accountId, ada.id))?.role, 'owner');
  assert.equal((await users.member(second.id, ada.id))?.role, 'admin');
});
