// Forgotten passwords over HTTP: links by email, which tell nothing about who has a user.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TOTP, URI } from 'otpauth';
import { newToken, tokenHash } from '#actions/accounts/key-text.ts';
import { readMail } from '../support/receivers/read-mail.ts';
import { type SmtpServer, startSmtpServer } from '../support/receivers/smtp-server.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import { until } from '../support/until.ts';
import { askAt, bodyOf, cookieOf, type Headers } from './session-calls.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };
const minuteMs = 60_000;

let on: Composed;
let server: SmtpServer;
let clockMs = Date.now();
const cleanups: (() => void | Promise<void>)[] = [];
const clocks = { clock: { now: () => clockMs }, steadyNow: () => clockMs };
const first = { TOCSIN_ROLES: 'api', TOCSIN_BOOTSTRAP_EMAIL: ada.email, TOCSIN_BOOTSTRAP_PASSWORD: ada.password };

before(async () => {
  server = await startSmtpServer();
  cleanups.push(() => server.close());
  on = await startComposed(
    { after: (work) => void cleanups.unshift(work) },
    { ...first, TOCSIN_SMTP_URL: `smtp://localhost:${server.port}`, TOCSIN_MAIL_FROM: 'tocsin@example.com' },
    clocks,
  );
});
after(async () => {
  for (const work of cleanups) await work();
});

const ask = (path: string, body: object, headers: Headers = {}) => askAt(on, 'POST', path, headers, body);
const request = (email: string) => ask('/v1/password-resets', { email });
const use = (token: string, password: string) => ask('/v1/password-resets/use', { token, password });
const signIn = (password: string, code?: string) =>
  ask('/v1/sessions', { email: ada.email, password, ...(code !== undefined && { code }) });

/** Another hour, so that one test does not use up the requests of the next. */
const later = (): void => void (clockMs += 60 * minuteMs);

/** Requests a link and waits for its mail. */
async function requestedToken(): Promise<string> {
  const count = server.mails.length;
  assert.equal((await request(' Ada@Example.com')).status, 202);
  const mail = await until('the mail', () => server.mails[count]);
  assert.equal(mail.to, ada.email);
  const { headers, text } = readMail(mail.raw);
  assert.equal(headers['subject'], 'Reset your password');
  return /\/reset-password#([\w-]{43})\n/.exec(text)?.[1] ?? assert.fail(text);
}

describe('a forgotten password', () => {
  test('is replaced with a link that works once, and all sessions end', async () => {
    const before = cookieOf(await signIn(ada.password));
    const token = await requestedToken();
    const bad = await use(token, 'short');
    assert.deepEqual([bad.status, Object.keys(bodyOf(bad).attributes)], [400, ['password']]);
    const used = await use(token, 'another long password');
    assert.deepEqual([used.status, used.headers['set-cookie']], [204, undefined], used.text);
    assert.equal((await askAt(on, 'GET', '/v1/me', before)).status, 401);
    assert.equal((await signIn(ada.password)).status, 401);
    assert.equal((await signIn('another long password')).status, 201);
    assert.equal((await use(token, ada.password)).status, 404, 'once');
    assert.equal((await use(newToken(), ada.password)).status, 404);
    assert.equal((await use('x', ada.password)).status, 404);
  });

  test('a link ends after 30 minutes, by a newer one, and by a new password', async () => {
    later();
    const late = await requestedToken();
    clockMs += 30 * minuteMs;
    assert.equal((await use(late, ada.password)).status, 404);
    later();
    const older = await requestedToken();
    const newer = await requestedToken();
    assert.equal((await use(older, ada.password)).status, 404);
    const session = cookieOf(await signIn('another long password'));
    const change = { currentPassword: 'another long password', newPassword: ada.password };
    assert.equal((await askAt(on, 'PUT', '/v1/me/password', session, change)).status, 204);
    assert.equal((await use(newer, 'yet another password')).status, 404);
  });

  test('an unknown address gets the same answer and no mail, and each address three an hour', async () => {
    later();
    const count = server.mails.length;
    const [unknown, known] = [await request('nobody@example.com'), await request(ada.email)];
    assert.deepEqual([unknown.status, unknown.text, known.status, known.text], [202, '', 202, '']);
    await until('the mail', () => server.mails[count]);
    assert.deepEqual(
      server.mails.slice(count).map(({ to }) => to),
      [ada.email],
    );
    for (const email of [ada.email, 'nobody@example.com']) {
      for (let more = 0; more < 2; more++) assert.equal((await request(email)).status, 202);
      const refused = await request(email);
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers['retry-after']) > 0);
    }
    const site = { 'sec-fetch-site': 'cross-site' };
    assert.equal((await ask('/v1/password-resets', { email: 'other@example.com' }, site)).status, 403);
  });

  test('of a person with a second factor is replaced, and sign-in still asks for the code', async () => {
    later();
    const session = cookieOf(await signIn(ada.password));
    const made = await ask('/v1/me/second-factor', { password: ada.password }, session);
    const totp = URI.parse(bodyOf(made).url) as TOTP;
    const code = () => totp.generate({ timestamp: clockMs });
    assert.equal((await askAt(on, 'PUT', '/v1/me/second-factor', session, { code: code() })).status, 200);
    assert.equal((await use(await requestedToken(), 'another long password')).status, 204);
    clockMs += 5 * minuteMs;
    assert.equal((await signIn('another long password')).status, 401);
    assert.equal((await signIn('another long password', code())).status, 201);
  });

  test('is sent to nobody who signs in with the identity provider alone', async () => {
    later();
    on.raw.exec(`INSERT INTO users (id, email, is_proven, password, is_operator, created_at)
      SELECT randomblob(16), 'eve@example.com', 1, NULL, 0, 1`);
    on.raw.exec(`INSERT INTO memberships (account_id, user_id, role, is_mapped, created_at)
      SELECT accounts.id, users.id, 'owner', 1, 1 FROM accounts, users WHERE email = 'eve@example.com'`);
    assert.equal((await request('eve@example.com')).status, 202);
    await requestedToken();
    assert.deepEqual(
      server.mails.filter(({ to }) => to === 'eve@example.com'),
      [],
    );
    on.raw.exec(`UPDATE users SET password = 'not null' WHERE email = 'eve@example.com'`);
    assert.equal((await request('eve@example.com')).status, 202);
    await until('the mail', () => server.mails.find(({ to }) => to === 'eve@example.com'));
  });

  test('only the hash of a link is stored', async () => {
    later();
    const token = await requestedToken();
    const stored = on.raw.prepare('SELECT hash FROM password_resets').all();
    assert.deepEqual(
      stored.map(({ hash }) => Buffer.from(hash as Uint8Array)),
      [tokenHash(token)],
    );
  });
});

test('without email, the sign-in page knows it, and a request is refused', async (t) => {
  const plain = await startComposed(t, first);
  const setup = bodyOf(await askAt(plain, 'GET', '/v1/setup'));
  assert.deepEqual(setup, { isNeeded: false, resetsByEmail: false, provider: null });
  assert.equal((await askAt(plain, 'POST', '/v1/password-resets', {}, { email: ada.email })).status, 409);
});
