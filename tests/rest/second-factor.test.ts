// Second factors over HTTP: set up, sign-in, replays, recovery codes, and accounts that require one.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TOTP, URI } from 'otpauth';
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
  const first = { TOCSIN_BOOTSTRAP_EMAIL: operator.email, TOCSIN_BOOTSTRAP_PASSWORD: operator.password };
  on = await startComposed(
    { after: (work) => void cleanups.push(work) },
    { TOCSIN_ROLES: 'api', TOCSIN_ALLOWED_HOSTS: 'tocsin.test', ...first },
    clocks,
  );
});
after(async () => {
  for (const work of cleanups) await work();
});

function ask(method: string, path: string, headers: Headers = {}, body?: object): Promise<Answer> {
  return askAt(on, method, path, headers, body);
}

/** Another window for attempts, and another step of codes. */
const later = (): void => void (clockMs += 5 * minuteMs);

function tryToSignIn(email: string, code?: string, as = password): Promise<Answer> {
  return ask('POST', '/v1/sessions', {}, { email, password: as, ...(code !== undefined && { code }) });
}

const key = (): Headers => ({ authorization: `Bearer ${on.apiKey}` });

async function invite(email: string, role = 'owner', account: Headers = {}): Promise<string> {
  const invited = await ask('POST', '/v1/invites', { ...key(), ...account }, { email, role });
  assert.equal(invited.status, 201, invited.text);
  return String(bodyOf(invited).url).split('#')[1] ?? '';
}

async function join(email: string, role = 'owner', account: Headers = {}): Promise<Headers> {
  later();
  const token = await invite(email, role, account);
  return cookieOf(await ask('POST', '/v1/invites/accept', {}, { token, password }));
}

/** The app of a person: codes of the present, or of steps before or after. */
type App = (steps?: number) => string;

async function enrol(headers: Headers): Promise<{ readonly app: App; readonly recovery: readonly string[] }> {
  later();
  const made = await ask('POST', '/v1/me/second-factor', headers, { password });
  assert.equal(made.status, 201, made.text);
  const totp = URI.parse(bodyOf(made).url) as TOTP;
  assert.equal(totp.secret.base32, bodyOf(made).secret);
  const app: App = (steps = 0) => totp.generate({ timestamp: clockMs + steps * 30_000 });
  const confirmed = await ask('PUT', '/v1/me/second-factor', headers, { code: app() });
  assert.equal(confirmed.status, 200, confirmed.text);
  return { app, recovery: bodyOf(confirmed).recoveryCodes };
}

describe('a person with a second factor', () => {
  test('must enter a code after the password, and an unknown password asks for none', async () => {
    const headers = await join('asked@example.com');
    const elsewhere = cookieOf(await tryToSignIn('asked@example.com'));
    const { app } = await enrol(headers);
    assert.equal((await ask('GET', '/v1/me', elsewhere)).status, 401, 'other sessions end');
    assert.equal((await ask('GET', '/v1/me', headers)).status, 200);
    later();
    for (const code of [undefined, '', ' ']) {
      const missing = await tryToSignIn('asked@example.com', code);
      assert.deepEqual([missing.status, bodyOf(missing).attributes], [401, { secondFactor: 'required' }]);
    }
    const wrongPassword = await tryToSignIn('asked@example.com', app(), 'not the password');
    assert.deepEqual([wrongPassword.status, bodyOf(wrongPassword).attributes], [401, undefined]);
    const wrong = await tryToSignIn('asked@example.com', app(5));
    assert.deepEqual([wrong.status, Object.keys(bodyOf(wrong).attributes)], [401, ['code']]);
    const signedIn = cookieOf(await tryToSignIn('asked@example.com', app()));
    const opened = bodyOf(await ask('GET', '/v1/sessions', signedIn)) as { openedBy: string }[];
    assert.deepEqual(
      opened.map(({ openedBy }) => openedBy),
      ['totp', 'link'],
    );
  });

  test('cannot use a code twice, nor an earlier one, and may be 30 s off', async () => {
    const { app } = await enrol(await join('replay@example.com'));
    later();
    const code = app();
    assert.equal((await tryToSignIn('replay@example.com', code)).status, 201);
    assert.equal((await tryToSignIn('replay@example.com', code)).status, 401, 'the same');
    assert.equal((await tryToSignIn('replay@example.com', app(-1))).status, 401, 'an earlier one');
    assert.equal((await tryToSignIn('replay@example.com', app(1))).status, 201, 'the next');
    later();
    assert.equal((await tryToSignIn('replay@example.com', app(2))).status, 401, 'a minute off');
  });

  test('two uses of one code at the same time sign in once', async () => {
    const { app, recovery } = await enrol(await join('race@example.com'));
    later();
    for (const code of [app(), recovery[0]]) {
      const answers = await Promise.all([1, 2, 3].map(() => tryToSignIn('race@example.com', code)));
      assert.deepEqual(
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [201, 401, 401],
      );
    }
  });

  test('signs in with each recovery code once, and may replace them', async () => {
    const headers = await join('recovery@example.com');
    const { app, recovery } = await enrol(headers);
    assert.deepEqual([recovery.length, new Set(recovery).size], [10, 10]);
    later();
    const first = recovery[0] ?? '';
    const again = cookieOf(await tryToSignIn('recovery@example.com', first.toLowerCase().replaceAll('-', ' ')));
    assert.equal((await tryToSignIn('recovery@example.com', first)).status, 401, 'used');
    const state = bodyOf(await ask('GET', '/v1/me/second-factor', again));
    assert.equal(state.recoveryCodesLeft, 9);
    const renewed = await ask('POST', '/v1/me/recovery-codes', again, { password, code: app() });
    assert.equal(renewed.status, 201, renewed.text);
    assert.equal((await tryToSignIn('recovery@example.com', recovery[1])).status, 401, 'replaced');
    assert.equal((await tryToSignIn('recovery@example.com', bodyOf(renewed).recoveryCodes[1])).status, 201);
  });

  test('has ten attempts at codes in five minutes, which others without the password cannot use up', async () => {
    const { app } = await enrol(await join('guess@example.com'));
    later();
    for (let count = 0; count < 10; count++) {
      // A device that is known has more attempts at passwords than anybody has at codes.
      assert.equal((await tryToSignIn('guess@example.com', '000000')).status, 401);
    }
    assert.equal((await tryToSignIn('guess@example.com', app())).status, 429);
    later();
    assert.equal((await tryToSignIn('guess@example.com', app())).status, 201);
  });

  test('removes it with password and code only', async () => {
    const headers = await join('remove@example.com');
    const { app } = await enrol(headers);
    later();
    const remove = (body: object) => ask('POST', '/v1/me/second-factor/removal', headers, body);
    assert.deepEqual(Object.keys(bodyOf(await remove({ password: 'wrong', code: app() })).attributes), ['password']);
    const wrong = await remove({ password, code: '000000' });
    assert.deepEqual([wrong.status, Object.keys(bodyOf(wrong).attributes)], [400, ['code']]);
    assert.equal((await ask('POST', '/v1/me/second-factor', headers, { password })).status, 409, 'a second one');
    assert.equal((await remove({ password, code: app() })).status, 204);
    assert.equal((await tryToSignIn('remove@example.com')).status, 201);
  });

  test('cannot be joined to an account by an invitation without a code', async () => {
    const { app } = await enrol(await join('joins@example.com'));
    later();
    const other = { 'x-service-account': bodyOf(await ask('POST', '/v1/accounts', key(), { name: 'Other' })).id };
    const token = await invite('joins@example.com', 'owner', other);
    const accept = (code?: string) =>
      ask('POST', '/v1/invites/accept', {}, { token, password, ...(code !== undefined && { code }) });
    const refused = await accept();
    assert.deepEqual([refused.status, bodyOf(refused).attributes], [401, { secondFactor: 'required' }]);
    assert.equal((await accept(app())).status, 201);
  });

  test('has an encrypted secret and hashed recovery codes in the database', async () => {
    const headers = await join('stored@example.com');
    const { recovery } = await enrol(headers);
    const row = on.raw.prepare('SELECT * FROM users WHERE email = ?').get('stored@example.com') ?? {};
    assert.match(String(row['totp_secret']), /^sealed:1:/);
    const stored = JSON.stringify(row);
    for (const code of recovery) assert.equal(stored.includes(code.replaceAll('-', '')), false);
  });
});

test('a secret is not in use before a code confirms it', async () => {
  const headers = await join('unconfirmed@example.com');
  assert.equal((await ask('POST', '/v1/me/second-factor', headers, { password: 'wrong' })).status, 400);
  assert.equal((await ask('POST', '/v1/me/second-factor', headers, { password })).status, 201);
  const wrong = await ask('PUT', '/v1/me/second-factor', headers, { code: '000000' });
  assert.deepEqual([wrong.status, Object.keys(bodyOf(wrong).attributes)], [400, ['code']]);
  later();
  assert.equal((await tryToSignIn('unconfirmed@example.com')).status, 201);
});

test('an account that requires a second factor locks out people without one until they set it up', async () => {
  const strict = bodyOf(await ask('POST', '/v1/accounts', key(), { name: 'Strict' })).id as string;
  const account = { 'x-service-account': strict };
  const owner = { ...(await join('strict-owner@example.com', 'owner', account)), ...account };
  const admin = { ...(await join('strict-admin@example.com', 'admin', account)), ...account };
  const require = (headers: Headers, on = true) => ask('PUT', '/v1/accounts/me', headers, { requiresSecondFactor: on });
  assert.equal((await require(admin)).status, 403, 'only owners');
  assert.equal((await require(owner)).status, 409, 'not without an own one');
  await enrol(owner);
  const required = await require(owner);
  assert.deepEqual([required.status, bodyOf(required).requiresSecondFactor], [200, true]);

  const locked = await ask('GET', '/v1/checks', admin);
  assert.deepEqual(
    [locked.status, bodyOf(locked).attributes],
    [403, { secondFactor: 'required' }],
    'existing sessions',
  );
  const me = await ask('GET', '/v1/me', admin);
  assert.deepEqual([me.status, bodyOf(me).needsSecondFactor], [200, true]);
  assert.equal((await ask('GET', '/v1/checks', owner)).status, 200);
  assert.equal((await ask('GET', '/v1/checks', { ...key(), ...account })).status, 200, 'keys are not affected');
  await enrol(admin);
  assert.equal((await ask('GET', '/v1/checks', admin)).status, 200);
  const off = await require(owner, false);
  assert.deepEqual([off.status, bodyOf(off).requiresSecondFactor], [200, undefined]);
});

test('a locked account is not reached through another account', async () => {
  const strict = bodyOf(
    await ask('POST', '/v1/accounts', key(), { name: 'Strict too', requiresSecondFactor: true }),
  ).id;
  const headers = await join('two@example.com');
  const token = await invite('two@example.com', 'owner', { 'x-service-account': strict });
  later();
  const accepted = await ask('POST', '/v1/invites/accept', {}, { token, password });
  assert.deepEqual([accepted.status, bodyOf(accepted).needsSecondFactor], [201, true]);
  const listed = bodyOf(await ask('GET', '/v1/accounts', headers)) as { id: string }[];
  assert.deepEqual(
    listed.map(({ id }) => id),
    [on.accountId],
  );
  assert.equal((await ask('GET', `/v1/accounts/${strict}`, headers)).status, 404);
});

test('a setup link sets the password of a person with a second factor, and does not sign in without a code', async () => {
  const first = cookieOf(await tryToSignIn(operator.email, undefined, operator.password));
  later();
  const made = await ask('POST', '/v1/me/second-factor', first, { password: operator.password });
  const totp = URI.parse(bodyOf(made).url) as TOTP;
  const code = () => totp.generate({ timestamp: clockMs });
  assert.equal((await ask('PUT', '/v1/me/second-factor', first, { code: code() })).status, 200);
  const { newToken, tokenHash } = await import('#actions/accounts/key-text.ts');
  const token = newToken();
  on.raw
    .prepare('INSERT INTO setup_links (hash, created_at, expires_at, is_first) VALUES (?, ?, ?, 0)')
    .run(tokenHash(token), clockMs, clockMs + 60 * minuteMs);
  later();
  const used = await ask('POST', '/v1/setup', {}, { token, email: operator.email, password });
  assert.deepEqual([used.status, used.headers['set-cookie']], [401, undefined]);
  assert.equal((await tryToSignIn(operator.email)).status, 401);
  assert.equal((await tryToSignIn(operator.email, code())).status, 201);
});
