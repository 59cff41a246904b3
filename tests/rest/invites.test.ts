// Members of an account and invitations over HTTP.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createPasswords } from '#actions/accounts/passwords.ts';
import { newId } from '#lib/id.ts';
import { idBytes } from '#store/base/codec.ts';
import { readMail } from '../support/receivers/read-mail.ts';
import { type ReceivedMail, type SmtpServer, startSmtpServer } from '../support/receivers/smtp-server.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import type { Answer } from './operation-calls.ts';
import { askAt, bodyOf, cookieOf, type Headers } from './session-calls.ts';

const operator = { email: 'operator@example.com', password: 'correct horse battery' };
const password = 'another long password';
const minuteMs = 60_000;

let on: Composed;
let clockMs = Date.now();
const cleanups: (() => void | Promise<void>)[] = [];

before(async () => {
  const clocks = { clock: { now: () => clockMs }, steadyNow: () => clockMs };
  on = await startComposed(
    { after: (work) => void cleanups.push(work) },
    {
      TOCSIN_ROLES: 'api',
      TOCSIN_BOOTSTRAP_EMAIL: operator.email,
      TOCSIN_BOOTSTRAP_PASSWORD: operator.password,
    },
    clocks,
  );
});
after(async () => {
  for (const work of cleanups) await work();
});

function ask(method: string, path: string, headers: Headers = {}, body?: object, at = on): Promise<Answer> {
  return askAt(at, method, path, headers, body);
}

/** Another window for attempts, so that one test does not use up those of the next. */
const later = (): void => void (clockMs += 5 * minuteMs);

async function signIn(who: { email: string; password: string } = operator): Promise<Headers> {
  later();
  return cookieOf(await ask('POST', '/v1/sessions', {}, who));
}

/** Invites a person and signs them in. */
async function join(email: string, role: string, by: Headers, account: Headers = {}) {
  later();
  const invited = await ask('POST', '/v1/invites', { ...by, ...account }, { email, role });
  assert.equal(invited.status, 201, invited.text);
  const token = String(bodyOf(invited).url).split('#')[1] ?? '';
  const accepted = await ask('POST', '/v1/invites/accept', {}, { token, password });
  return { headers: cookieOf(accepted), id: String(bodyOf(accepted).user.id), token };
}

describe('people of an account', () => {
  test('are invited by a link that works once, and then chosen a role', async () => {
    const owner = await signIn();
    const made = await ask('POST', '/v1/invites', owner, { email: 'New@Example.com', role: 'read-run' });
    const { url, ...invite } = bodyOf(made);
    assert.match(url, new RegExp(`^${on.address}/invite#[\\w-]{43}$`));
    assert.deepEqual([invite.email, invite.role], ['new@example.com', 'read-run']);
    assert.equal(Date.parse(invite.expiresAt) - Date.parse(invite.createdAt), 7 * 24 * 60 * minuteMs);
    const open = bodyOf(await ask('GET', '/v1/invites', owner)) as { id: string }[];
    assert.deepEqual(
      open.filter(({ id }) => id === invite.id),
      [invite],
    );
    const token = url.split('#')[1];
    const read = await ask('POST', '/v1/invites/read', {}, { token });
    assert.deepEqual(bodyOf(read), {
      email: 'new@example.com',
      accountName: 'Default',
      role: 'read-run',
    });
    assert.equal((await ask('POST', '/v1/invites/accept', {}, { token, password: 'short' })).status, 400);
    const accepted = await ask('POST', '/v1/invites/accept', {}, { token, password });
    assert.deepEqual([bodyOf(accepted).role, bodyOf(accepted).readsOnly], ['read-run', false]);
    for (const [path, body] of [
      ['/v1/invites/read', { token }],
      ['/v1/invites/accept', { token, password }],
    ] as const) {
      const refused = await ask('POST', path, {}, body);
      assert.equal(refused.status, 404);
      assert.match(bodyOf(refused).message, /^This invitation was used or withdrawn, or it has expired\./);
    }
    assert.equal((await ask('POST', '/v1/invites', owner, { email: 'new@example.com', role: 'admin' })).status, 409);
    const { id } = bodyOf(accepted).user;
    const headers = cookieOf(accepted);
    assert.equal((await ask('POST', '/v1/variables', headers, { key: 'MAY', value: '1' })).status, 403);
    const changed = await ask('PUT', `/v1/users/${id}`, owner, { role: 'read-write' });
    assert.deepEqual([changed.status, bodyOf(changed).role], [200, 'read-write']);
    assert.equal((await ask('POST', '/v1/variables', headers, { key: 'MAY', value: '1' })).status, 201, 'at once');
    assert.equal((await ask('DELETE', `/v1/users/${id}`, owner)).status, 204);
    assert.equal((await ask('GET', '/v1/me', headers)).status, 401, 'at once');
    // The forgotten password: removed and invited again, the person chooses another one.
    const again = await join('new@example.com', 'read-only', owner);
    assert.notEqual(again.id, id);
  });

  test('an invitation can be withdrawn', async () => {
    const owner = await signIn();
    const { id, url } = bodyOf(await ask('POST', '/v1/invites', owner, { email: 'gone@example.com', role: 'admin' }));
    assert.equal((await ask('DELETE', `/v1/invites/${id}`, owner)).status, 204);
    assert.equal((await ask('DELETE', `/v1/invites/${id}`, owner)).status, 404);
    const answer = await ask('POST', '/v1/invites/read', {}, { token: url.split('#')[1] });
    assert.equal(answer.status, 404);
  });

  test('a person who has a user joins another account with their own password', async () => {
    const owner = await signIn();
    await join('both@example.com', 'admin', owner);
    const second = bodyOf(await ask('POST', '/v1/accounts', owner, { name: 'Second' })).id as string;
    const inSecond = { ...owner, 'x-service-account': second };
    const made = await ask('POST', '/v1/invites', inSecond, { email: 'both@example.com', role: 'read-only' });
    const token = bodyOf(made).url.split('#')[1];
    later();
    const accepted = await ask('POST', '/v1/invites/accept', {}, { token, password });
    const { accountId, role, accounts, readsOnly } = bodyOf(accepted);
    assert.deepEqual([accountId, role, readsOnly], [second, 'read-only', true]);
    assert.deepEqual(accounts, [
      { id: on.accountId, name: 'Default', role: 'admin' },
      { id: second, name: 'Second', role: 'read-only' },
    ]);
    const headers = cookieOf(accepted);
    // The role of the first account gives no power in the second.
    assert.equal((await ask('PUT', `/v1/accounts/${second}`, headers, { name: 'Mine' })).status, 404);
    const key = { name: 'x', role: 'admin', accountIds: [second] };
    assert.equal((await ask('POST', '/v1/api-keys', headers, key)).status, 403);
  });

  test('owners are managed by owners and operators alone, and the last one stays', async () => {
    const owner = await signIn();
    const second = bodyOf(await ask('POST', '/v1/accounts', owner, { name: 'Owned' })).id as string;
    const account = { 'x-service-account': second };
    const inIt = { ...owner, ...account };
    const { id: ownerId } = bodyOf(await ask('GET', '/v1/me', owner)).user;
    const last = await ask('PUT', `/v1/users/${ownerId}`, inIt, { role: 'admin' });
    assert.equal(last.status, 409);
    assert.match(bodyOf(last).message, /last owner/);
    assert.equal((await ask('DELETE', `/v1/users/${ownerId}`, inIt)).status, 409);
    const admin = await join('admin@example.com', 'admin', owner, account);
    const key = bodyOf(await ask('POST', '/v1/api-keys', inIt, { name: 'k', role: 'admin' })).key as string;
    for (const by of [admin.headers, { authorization: `Bearer ${key}` }]) {
      for (const [method, path, body] of [
        ['POST', '/v1/invites', { email: 'x@example.com', role: 'owner' }],
        ['PUT', `/v1/users/${admin.id}`, { role: 'owner' }],
        ['PUT', `/v1/users/${ownerId}`, { role: 'read-only' }],
        ['DELETE', `/v1/users/${ownerId}`, {}],
      ] as const) {
        const answer = await ask(method, path, { ...by, ...account }, body);
        assert.equal(answer.status, 403, `${method} ${path}: ${answer.text}`);
      }
    }
    assert.equal((await ask('PUT', `/v1/users/${admin.id}`, inIt, { role: 'owner' })).status, 200);
    const promoted = { ...admin.headers, ...account };
    assert.equal((await ask('DELETE', `/v1/users/${ownerId}`, promoted)).status, 204);
    assert.deepEqual(
      (bodyOf(await ask('GET', '/v1/users', promoted)) as { email: string }[]).map(({ email }) => email),
      ['admin@example.com'],
    );
  });
});

describe('an email address of somebody else', () => {
  /** Another account, without a member, and its key. */
  async function secondAccount(name: string) {
    const key = { authorization: `Bearer ${on.apiKey}` };
    const id = bodyOf(await ask('POST', '/v1/accounts', key, { name })).id as string;
    return { id, by: { ...key, 'x-service-account': id } };
  }

  async function tokenFor(email: string, by: Headers): Promise<string> {
    later();
    return bodyOf(await ask('POST', '/v1/invites', by, { email, role: 'admin' })).url.split('#')[1];
  }

  const accept = (token: string, secret: string) => ask('POST', '/v1/invites/accept', {}, { token, password: secret });

  test('that an admin claims by accepting an invitation stays free for its person', async () => {
    const [evil, good] = [await secondAccount('Evil'), await secondAccount('Good')];
    const email = 'victim@example.com';
    assert.equal((await accept(await tokenFor(email, evil.by), 'password of the admin')).status, 201);
    const token = await tokenFor(email, good.by);
    const shown = bodyOf(await ask('POST', '/v1/invites/read', {}, { token }));
    assert.deepEqual(shown, { email, accountName: 'Good', role: 'admin' });
    const accepted = await accept(token, 'password of the person');
    assert.deepEqual(
      bodyOf(accepted).accounts.map(({ name }: { name: string }) => name),
      ['Good'],
    );
    for (const [secret, account] of [
      ['password of the admin', evil.id],
      ['password of the person', good.id],
    ] as const) {
      const headers = await signIn({ email, password: secret });
      const { accounts } = bodyOf(await ask('GET', '/v1/me', headers));
      assert.deepEqual(
        accounts.map(({ id }: { id: string }) => id),
        [account],
      );
    }
  });

  test('is accepted in the same way whether it has a user or not', async () => {
    const { by } = await secondAccount('Curious');
    const answers = [];
    for (const email of [operator.email, 'unknown@example.com']) {
      const token = await tokenFor(email, by);
      const read = await ask('POST', '/v1/invites/read', {}, { token });
      const accepted = await accept(token, 'a password of the admin');
      const { user, accounts, role, isNewUser } = bodyOf(accepted);
      answers.push([Object.keys(bodyOf(read)), accepted.status, user.isOperator, accounts, role, isNewUser]);
    }
    assert.deepEqual(answers[0], answers[1]);
    assert.equal(answers[0]?.[2], false);
    assert.equal(
      bodyOf(await ask('GET', '/v1/me', await signIn())).user.isOperator,
      true,
      'the operator still signs in',
    );
  });

  test('in two invitations that are accepted at the same time makes one user of both accounts', async () => {
    const [one, other] = [await secondAccount('One'), await secondAccount('Other')];
    const tokens = [await tokenFor('twice@example.com', one.by), await tokenFor('twice@example.com', other.by)];
    later();
    const accepted = await Promise.all(tokens.map((token) => accept(token, password)));
    assert.deepEqual(
      accepted.map(({ status }) => status),
      [201, 201],
    );
    const headers = await signIn({ email: 'twice@example.com', password });
    const { accounts } = bodyOf(await ask('GET', '/v1/me', headers));
    assert.deepEqual(accounts.map(({ id }: { id: string }) => id).toSorted(), [one.id, other.id].toSorted());
  });
});

describe('where email is set up', () => {
  let mailing: Composed;
  let server: SmtpServer;
  let refuses = false;
  const at = (path: string, body: object, headers: Headers = {}) => ask('POST', path, headers, body, mailing);
  const key = () => ({ authorization: `Bearer ${mailing.apiKey}` });
  const linkIn = ({ raw }: ReceivedMail): string => /\/invite#([\w-]{43})\n/.exec(readMail(raw).text)?.[1] ?? '';

  before(async () => {
    server = await startSmtpServer({ reply: (step) => (refuses && step === 'body' ? '554 no' : undefined) });
    cleanups.push(() => server.close());
    mailing = await startComposed(
      { after: (work) => void cleanups.unshift(work) },
      {
        TOCSIN_ROLES: 'api',
        TOCSIN_SMTP_URL: `smtp://localhost:${server.port}`,
        TOCSIN_MAIL_FROM: 'Tocsin <tocsin@example.com>',
      },
    );
  });

  test('an invitation reaches only the invited person, whose address it proves', async () => {
    // Accepted without email, by an admin.
    const { id: evil } = bodyOf(await at('/v1/accounts', { name: 'Evil' }, key()));
    const claimed = { id: newId(), email: 'ada@example.com' };
    mailing.raw
      .prepare(`INSERT INTO users (id, email, is_proven, password, is_operator, created_at) VALUES (?, ?, 0, ?, 0, 1)`)
      .run(idBytes(claimed.id), claimed.email, await createPasswords().hash('password of the admin'));
    mailing.raw
      .prepare(
        `INSERT INTO memberships (account_id, user_id, role, is_mapped, created_at) VALUES (?, ?, 'read-only', 0, 1)`,
      )
      .run(idBytes(evil), idBytes(claimed.id));

    const made = await at('/v1/invites', { email: 'Ada@example.com', role: 'admin' }, key());
    assert.deepEqual([made.status, bodyOf(made).url], [201, null]);
    assert.ok(!made.text.includes('#'));
    const [mail] = server.mails;
    assert.deepEqual(
      [mail?.to, readMail(mail?.raw ?? '').headers['subject']],
      ['ada@example.com', 'Invitation to Default'],
    );
    const token = linkIn(mail ?? assert.fail('no mail'));
    const accepted = await at('/v1/invites/accept', { token, password: 'password of the person' });
    assert.equal(accepted.status, 201, accepted.text);
    assert.deepEqual(
      bodyOf(accepted).accounts.map(({ name }: { name: string }) => name),
      ['Default', 'Evil'],
    );
    const signingIn = (secret: string) => at('/v1/sessions', { email: 'ada@example.com', password: secret });
    assert.equal((await signingIn('password of the admin')).status, 401);
    assert.equal((await signingIn('password of the person')).status, 201);

    const { id: third } = bodyOf(await at('/v1/accounts', { name: 'Third' }, key()));
    await at('/v1/invites', { email: 'ada@example.com', role: 'admin' }, { ...key(), 'x-service-account': third });
    const again = linkIn(server.mails[1] ?? assert.fail('no second mail'));
    const wrong = await at('/v1/invites/accept', { token: again, password: 'another password' });
    assert.equal(wrong.status, 401);
    mailing.raw.exec(`CREATE TEMP TABLE before AS SELECT id, password FROM users`);
    mailing.raw.exec('UPDATE users SET password = NULL');
    const without = await at('/v1/invites/accept', { token: again, password: 'password of the person' });
    assert.deepEqual([without.status, /no password here\. Accept with/.test(without.text)], [401, true]);
    mailing.raw.exec('UPDATE users SET password = (SELECT password FROM before WHERE before.id = users.id)');
    assert.equal((await at('/v1/invites/accept', { token: again, password: 'password of the person' })).status, 201);
  });

  test('a link that the mail server refuses proves nothing and is shown, and mails to an address are few', async () => {
    const invite = () => at('/v1/invites', { email: 'bob@example.com', role: 'read-only' }, key());
    refuses = true;
    const refused = await invite();
    assert.equal(refused.status, 201);
    const token = bodyOf(refused).url.split('#')[1];
    assert.equal((await at('/v1/invites/accept', { token, password })).status, 201);
    const row = mailing.raw.prepare('SELECT is_proven FROM users WHERE email = ?').get('bob@example.com');
    assert.equal(row?.['is_proven'], 0);
    refuses = false;
    for (let count = 1; count < 5; count++) assert.equal((await invite()).status, 409, 'is a member');
    const tooMany = await invite();
    assert.deepEqual(
      [tooMany.status, bodyOf(tooMany).message],
      [429, 'Too many invitations to this address: at most 5 per hour.'],
    );
  });
});
