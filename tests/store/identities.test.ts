// Identities at the provider on both engines: whose they are, and the memberships that claims give.
import assert from 'node:assert/strict';
import { ensureFirstAccount } from '#actions/accounts/setup.ts';
import { tokenHash } from '#actions/accounts/key-text.ts';
import type { MemberRole } from '#domain/accounts/api-key.ts';
import { inviteMaxMs } from '#domain/accounts/user.ts';
import { newId } from '#lib/id.ts';
import { onSqlite, test } from '../support/store/each-engine.ts';
import type { TempStore } from '../support/store/temp-store.ts';

const issuer = 'https://login.example.com';
const identityOf = (subject: string) => ({ issuer, subject, email: `${subject}@example.com` });

async function firstAccount({ store, clock }: TempStore): Promise<string> {
  return (await ensureFirstAccount({ apiKeys: store.apiKeys, clock }))?.accountId ?? assert.fail();
}

async function secondAccount({ store, clock }: TempStore, first: string): Promise<string> {
  const unset = { runtimeId: null, settings: null, alertSettings: null, executionLimit: null, limits: null };
  const plain = { ...unset, timeZone: null, requiresSecondFactor: false, name: 'Second', createdAt: clock.now() };
  const { rows } = await store.apiKeys.list([first], { limit: 1, offset: 0 });
  const id = newId();
  await store.accounts.add({ ...plain, id }, { kind: 'api-key', id: rows[0]?.id ?? assert.fail() });
  return id;
}

function userOf({ clock }: TempStore, email: string, passwordHash: string | null = null) {
  const plain = { isProven: false, isOperator: false, hasSecondFactor: false, lastSignInAt: null };
  return { ...plain, id: newId(), email, passwordHash, createdAt: clock.now() };
}

/** A person with an identity and a role by claim. */
async function mapped(temp: TempStore, subject: string, accountId: string, role: MemberRole = 'read-only') {
  const user = userOf(temp, `${subject}@example.com`);
  assert.equal(await temp.store.identities.addUser(user, identityOf(subject), [{ accountId, role }]), true);
  return user.id;
}

test('an identity belongs to one person, and a person has one of an issuer', async (newStore) => {
  await using temp = await newStore();
  const { identities } = temp.store;
  const accountId = await firstAccount(temp);
  const ada = await mapped(temp, 'ada', accountId);
  const bob = await mapped(temp, 'bob', accountId);
  assert.equal(await identities.findUser(identityOf('ada')), ada);
  assert.equal(await identities.findUser({ issuer: 'https://other.example', subject: 'ada' }), null);
  assert.equal(await identities.connect(identityOf('ada'), bob), false, 'of ada');
  assert.equal(await identities.connect(identityOf('other'), bob), false, 'a second one');
  assert.equal(await identities.connect({ ...identityOf('ada'), issuer: 'https://other.example' }, bob), true);
  const again = userOf(temp, 'ada@example.com');
  assert.equal(await identities.addUser(again, identityOf('ada'), [{ accountId, role: 'owner' }]), false);
  assert.equal(await temp.store.users.find(again.id), null);
  assert.deepEqual(await identities.ofUser(ada, issuer), {
    subject: 'ada',
    email: 'ada@example.com',
    connectedAt: temp.clock.now(),
  });
});

test('two first sign-ins of a person at the same time make one person', async (newStore) => {
  await using temp = await newStore();
  const accountId = await firstAccount(temp);
  const attempts = [1, 2, 3].map(() =>
    temp.store.identities.addUser({ ...userOf(temp, 'ada@example.com'), isProven: true }, identityOf('ada'), [
      { accountId, role: 'read-only' },
    ]),
  );
  assert.equal((await Promise.all(attempts)).filter(Boolean).length, 1);
  assert.equal((await temp.store.users.withEmail('ada@example.com')).length, 1);
});

test('only an identity of a person with a password is removed', async (newStore) => {
  await using temp = await newStore();
  const { identities, users } = temp.store;
  const ada = await mapped(temp, 'ada', await firstAccount(temp));
  assert.equal(await identities.remove(ada, issuer), false);
  assert.equal(await users.changePassword(ada, null, 'hash'), true);
  assert.equal(await identities.remove(ada, issuer), true);
  assert.equal(await identities.findUser(identityOf('ada')), null);
});

test('claims change, add and remove their own memberships, and no others', async (newStore) => {
  await using temp = await newStore();
  const { identities, users } = temp.store;
  const first = await firstAccount(temp);
  const second = await secondAccount(temp, first);
  const roles = async (id: string) =>
    new Map((await users.memberships(id)).map(({ accountId, role }) => [accountId, role]));
  const ada = await mapped(temp, 'ada', first, 'owner');
  await identities.mapRoles(ada, [{ accountId: first, role: 'read-only' }]);
  assert.deepEqual(await roles(ada), new Map([[first, 'owner']]), 'the last owner');
  const bob = await mapped(temp, 'bob', first, 'owner');
  await identities.mapRoles(ada, [
    { accountId: first, role: 'admin' },
    { accountId: second, role: 'read-run' },
  ]);
  assert.deepEqual(
    await roles(ada),
    new Map([
      [first, 'admin'],
      [second, 'read-run'],
    ]),
  );
  assert.equal(await users.changeRole(second, ada, 'read-write'), 'changed');
  await identities.mapRoles(ada, [{ accountId: second, role: 'read-only' }]);
  assert.deepEqual(await roles(ada), new Map([[second, 'read-write']]), 'set by a person, and no longer by a claim');
  await identities.mapRoles(bob, []);
  assert.deepEqual(await roles(bob), new Map([[first, 'owner']]), 'the last owner again');
  const eve = await mapped(temp, 'eve', first);
  await identities.mapRoles(eve, []);
  assert.equal(await users.find(eve), null, 'without accounts');
  assert.equal(await identities.findUser(identityOf('eve')), null);
});

onSqlite('a person who is removed from the last account can join again as a new one', async (newStore) => {
  await using temp = await newStore();
  const accountId = await firstAccount(temp);
  const ada = await mapped(temp, 'ada', accountId);
  assert.equal(await temp.store.users.removeMember(accountId, ada), 'changed');
  assert.notEqual(await mapped(temp, 'ada', accountId), ada);
});

test('an invitation joins a new person with an identity, proves the own address only, and merges nobody with an identity', async (newStore) => {
  await using temp = await newStore();
  const { invites, users, identities } = temp.store;
  const accountId = await firstAccount(temp);
  const invited = async (email: string) => {
    const createdAt = temp.clock.now();
    const plain = { id: newId(), accountId, isMailed: true, role: 'read-only' as const };
    const invite = { ...plain, email, createdAt, expiresAt: createdAt + inviteMaxMs };
    assert.equal(await invites.add(invite, tokenHash(invite.id)), 'added');
    return invite;
  };
  const ada = userOf(temp, 'ada@example.com');
  const toOther = await invited('other@example.com');
  assert.equal(await invites.accept(toOther, ada, [], identityOf('ada')), 'accepted');
  assert.equal(await identities.findUser(identityOf('ada')), ada.id);
  assert.equal((await users.find(ada.id))?.isProven, false, 'the mail went elsewhere');
  assert.equal(
    await invites.accept(await invited('third@example.com'), userOf(temp, 'x@example.com'), [], identityOf('ada')),
    'outdated',
  );
  const elsewhere = await secondAccount(temp, accountId);
  assert.equal(await users.removeMember(accountId, ada.id), 'changed');
  const again = await mapped(temp, 'ada', elsewhere);
  const mail = await invited('ada@example.com');
  const claimant = userOf(temp, 'ada@example.com', 'hash');
  assert.equal(await invites.accept(mail, claimant, [again]), 'accepted');
  assert.equal(await identities.findUser(identityOf('ada')), again, 'keeps the own person');
  assert.deepEqual(
    (await users.memberships(claimant.id)).map((each) => each.accountId),
    [accountId],
  );
});
