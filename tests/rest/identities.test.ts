// Sign-in with an identity provider over HTTP: who gets in, as whom and with which roles.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Person } from '../support/targets/identity-provider.ts';
import { type Corp, operator, password, person, startCorp, unknownAccount } from './identity-calls.ts';
import { bodyOf, cookieOf, type Headers } from './session-calls.ts';

let corp: Corp;
const cleanups: (() => void | Promise<void>)[] = [];
const later = { after: (work: () => void | Promise<void>) => void cleanups.push(work) };

before(async () => {
  corp = await startCorp(later, { TOCSIN_OIDC_DOMAINS: 'corp.example' });
});
after(async () => {
  for (const work of cleanups.toReversed()) await work();
});

describe('a person with a role by claim', () => {
  test('is created without a password at the first sign-in, and follows the claim at each sign-in', async () => {
    const eve = person('eve', { email: 'Eve@Corp.example', groups: ['dev', 'lunch'] });
    const first = await corp.signInAs(eve);
    const { user, role } = bodyOf(first);
    assert.deepEqual([first.status, user.email, user.isOperator, role], [201, 'eve@corp.example', false, 'read-write']);
    const headers = cookieOf(first);
    const [session] = bodyOf(await corp.ask('GET', '/v1/sessions', headers));
    assert.equal(session.openedBy, 'provider');
    const row = corp.on.raw.prepare('SELECT created_at AS start, expires_at AS ends FROM sessions WHERE opened_by = ?');
    const { start, ends } = row.get('provider') ?? {};
    assert.equal(Number(ends) - Number(start), 7 * 86_400_000);
    assert.deepEqual(bodyOf(await corp.ask('GET', '/v1/me/identity', headers)), {
      provider: 'Corp SSO',
      connectedAt: bodyOf(await corp.ask('GET', '/v1/me/identity', headers)).connectedAt,
      email: 'eve@corp.example',
      hasPassword: false,
    });
    assert.equal((await corp.withPassword('eve@corp.example', '')).status, 400);
    assert.equal((await corp.withPassword('eve@corp.example', 'null')).status, 401);

    const second = bodyOf(
      await corp.signInAs(person('eve', { email: 'renamed@corp.example', groups: ['ops', 'dev'] })),
    );
    assert.deepEqual([second.user.id, second.role], [user.id, 'admin'], 'the subject counts, not the address');
    const gone = await corp.signInAs(person('eve', { groups: [] }));
    assert.deepEqual([gone.status, /not a member of any account/.test(gone.text)], [403, true]);
    assert.equal((await corp.ask('GET', '/v1/me', headers)).status, 401, 'the person was deleted with the last role');
  });

  test('keeps a role that an owner has set, and one of an invitation', async () => {
    const set = bodyOf(await corp.signInAs(person('set', { groups: ['dev'] }))).user.id as string;
    const isMapped = async (): Promise<unknown> => {
      const members = bodyOf(await corp.ask('GET', '/v1/users', corp.key)) as { id: string; isMapped: boolean }[];
      return members.find(({ id }) => id === set)?.isMapped;
    };
    assert.equal(await isMapped(), true);
    assert.equal((await corp.ask('PUT', `/v1/users/${set}`, corp.key, { role: 'read-run' })).status, 200);
    assert.equal(await isMapped(), false);
    assert.equal(bodyOf(await corp.signInAs(person('set', { groups: ['ops'] }))).role, 'read-run');
    const token = await corp.invite('guest@corp.example', 'read-only');
    assert.equal(bodyOf(await corp.signInAs(person('guest', { groups: [] }), token)).role, 'read-only');
    assert.equal(bodyOf(await corp.signInAs(person('guest', { groups: ['ops'] }))).role, 'read-only');
    assert.equal((await corp.signInAs(person('guest'))).status, 201);
  });

  test('is not given an account that does not exist, which the log names', async () => {
    const lost = await corp.signInAs(person('lost', { groups: ['nowhere'] }));
    assert.equal(lost.status, 403);
    const named = corp.on.logged.find(({ name }) => name === 'identity-provider.unknown-account');
    assert.deepEqual(named?.fields, { account: unknownAccount });
  });
});

test('strangers, unverified addresses and other domains are refused with a sentence, and nobody is created', async () => {
  const cases: [Person, RegExp][] = [
    [person('stranger'), /Ask an admin for an invitation/],
    [person('unverified', { email_verified: false, groups: ['ops'] }), /Yours there is not verified/],
    [{ sub: 'silent', groups: ['ops'] }, /Yours there is not verified/],
    [
      person('outside', { email: 'mallory@corp.example.evil.org', groups: ['ops'] }),
      /Only people with .* at corp\.example can/,
    ],
  ];
  const count = () => corp.on.raw.prepare('SELECT COUNT(*) AS count FROM users').get()?.['count'];
  const before = count();
  for (const [who, sentence] of cases) {
    const refused = await corp.signInAs(who);
    assert.equal(refused.status, 403, who.sub);
    assert.match(bodyOf(refused).message, sentence);
    assert.equal(refused.headers['set-cookie'], undefined);
  }
  assert.equal(count(), before);
});

describe('a person with a password', () => {
  test('is not taken over by the same address; connects after the password, signs in, disconnects', async () => {
    const ada = person('operator', { groups: ['dev'] });
    const refused = await corp.signInAs(ada);
    assert.equal(refused.status, 403);
    assert.match(bodyOf(refused).message, /sign in with the password and connect Corp SSO under Profile/);

    const headers = cookieOf(await corp.withPassword(operator.email, operator.password));
    const wrong = await corp.ask('POST', '/v1/me/identity', headers, { password });
    assert.deepEqual([wrong.status, Object.keys(bodyOf(wrong).attributes)], [400, ['password']]);
    const connected = await corp.connect(headers, await corp.beginConnection(headers, operator.password));
    assert.deepEqual([connected.status, bodyOf(connected).email], [200, 'operator@corp.example'], connected.text);
    const signedIn = await corp.signInAs(ada);
    const { user, role } = bodyOf(signedIn);
    assert.deepEqual([user.email, role], [operator.email, 'operator'], 'the claim gives less than the person has');
    assert.equal(
      (await corp.connect(headers, await corp.beginConnection(headers, operator.password))).status,
      409,
      'a second one',
    );

    assert.equal((await corp.ask('POST', '/v1/me/identity/removal', headers, { password })).status, 400);
    const removed = await corp.ask('POST', '/v1/me/identity/removal', headers, { password: operator.password });
    assert.equal(removed.status, 204, removed.text);
    assert.equal((await corp.ask('GET', '/v1/me', cookieOf(signedIn))).status, 401, 'other sessions end');
    assert.equal((await corp.signInAs(ada)).status, 403);
    assert.equal(bodyOf(await corp.ask('GET', '/v1/me/identity', headers)).connectedAt, null);
  });

  test('cannot connect a person who is connected to somebody else, nor one of another domain', async () => {
    const headers = await corp.join('late@corp.example');
    await corp.signInAs(person('early', { groups: ['dev'] }));
    assert.equal((await corp.connect(headers, await corp.beginConnection(headers))).status, 409);
    corp.provider.person = person('far', { email: 'far@other.example' });
    assert.equal((await corp.connect(headers, await corp.beginConnection(headers))).status, 403);
    assert.equal(bodyOf(await corp.ask('GET', '/v1/me/identity', headers)).connectedAt, null);
  });

  test('in another account alone does not keep anybody with the address out, because anyone can invite it', async () => {
    const elsewhere = await corp.otherAccount('Elsewhere');
    const squatter = await corp.join('victim@corp.example', 'owner', elsewhere);
    const victim = bodyOf(await corp.signInAs(person('victim', { groups: ['dev'] })));
    assert.deepEqual([victim.accountId, victim.accounts.length], [corp.on.accountId, 1]);
    assert.notEqual(victim.user.id, bodyOf(await corp.ask('GET', '/v1/me', { ...squatter, ...elsewhere })).user.id);
    await corp.join('colleague@corp.example');
    assert.equal((await corp.signInAs(person('colleague', { groups: ['dev'] }))).status, 403, 'in the same account');
  });
});

describe('an invitation', () => {
  test('is accepted with the provider by a new person, once, and by a known one', async () => {
    const token = await corp.invite('any@where.example', 'admin');
    corp.provider.person = person('invited');
    const [first, second] = [await corp.begin(), await corp.begin()];
    const joined = await corp.finish(first, token);
    const { user, role, accountId } = bodyOf(joined);
    assert.deepEqual(
      [joined.status, user.email, role, accountId],
      [201, 'invited@corp.example', 'admin', corp.on.accountId],
    );
    assert.equal((await corp.finish(second, token)).status, 404);
    const elsewhere = await corp.otherAccount('By invitation');
    const again = bodyOf(
      await corp.signInAs(person('invited'), await corp.invite('other@where.example', 'owner', elsewhere)),
    );
    assert.deepEqual([again.user.id, again.accountId], [user.id, elsewhere['x-service-account']]);
  });

  test('of an address that somebody has proven is not accepted by another identity', async () => {
    const elsewhere = await corp.otherAccount('Proven');
    const token = await corp.invite(operator.email, 'owner', elsewhere);
    const refused = await corp.signInAs(person('fake', { email: operator.email }), token);
    assert.deepEqual([refused.status, /sign in with the password/.test(refused.text)], [403, true]);
  });

  test('is needed if the operator says so, except by people who have joined', async (t) => {
    const strict = await startCorp(t, { TOCSIN_OIDC_INVITED_ONLY: 'yes' });
    const who = person('careful', { groups: ['dev'] });
    assert.equal((await strict.signInAs(who)).status, 403);
    assert.equal((await strict.signInAs(who, await strict.invite('careful@corp.example', 'admin'))).status, 201);
    assert.equal((await strict.signInAs(who)).status, 201);
  });
});

test('a required second factor is that of the provider for its sessions, and asked of others', async () => {
  const strict = await corp.otherAccount('Strict');
  const headers = { ...(await corp.join('factor@corp.example', 'owner', strict)), ...strict };
  corp.provider.person = person('factor');
  assert.equal((await corp.connect(headers, await corp.beginConnection(headers))).status, 200);
  const require = (as: Headers) => corp.ask('PUT', '/v1/accounts/me', as, { requiresSecondFactor: true });
  assert.equal((await require(headers)).status, 409);
  const atProvider = { ...cookieOf(await corp.signInAs(person('factor'))), ...strict };
  assert.equal((await require(atProvider)).status, 200);
  assert.equal((await corp.ask('GET', '/v1/checks', atProvider)).status, 200);
  assert.equal((await corp.ask('GET', '/v1/checks', headers)).status, 403);
  assert.equal(bodyOf(await corp.ask('GET', '/v1/me', headers)).needsSecondFactor, true);
});

test('the audit log has sign-ins, connections and what was refused', async () => {
  const own = await corp.otherAccount('Audited');
  const headers = { ...(await corp.join('audited@corp.example', 'owner', own)), ...own };
  corp.provider.person = person('audited');
  assert.equal((await corp.connect(headers, await corp.beginConnection(headers))).status, 200);
  assert.equal((await corp.signInAs(person('audited'))).status, 201);
  assert.equal((await corp.signInAs(person('audited', { email: 'gone@other.example' }))).status, 403);
  assert.equal((await corp.ask('POST', '/v1/me/identity/removal', headers, { password })).status, 204);
  const entries = bodyOf(await corp.ask('GET', '/v1/audit-log', { ...corp.key, ...own })).entries as {
    operation: string;
    actor: { name: string };
    changes: { resource: string; action: string; fields: { path: string; to?: unknown }[] }[];
  }[];
  const told = entries.map(({ operation, actor, changes }) => [
    operation,
    actor.name,
    changes.map(({ resource, action }) => `${resource} ${action}`).join(),
  ]);
  const by = 'audited@corp.example';
  assert.deepEqual(told.slice(0, 5), [
    ['removeIdentity', by, 'session deleted'],
    ['removeIdentity', by, 'identity deleted'],
    ['createProviderSession', null, 'user refused'],
    ['createProviderSession', by, 'session created'],
    ['connectIdentity', by, 'identity created'],
  ]);
});
