// Signing in over HTTP: set-up, sessions and their cookie, where requests may come from, and limits.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newToken, tokenHash } from '#actions/accounts/key-text.ts';
import { type Composed, startComposed } from '../support/service/composed.ts';
import type { Answer } from './operation-calls.ts';
import { askAt, bodyOf, cookieOf, type Headers, ownPage } from './session-calls.ts';

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
      TOCSIN_ALLOWED_HOSTS: 'tocsin.test',
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

describe('signing in', () => {
  test('shows who and where one is, and sets a cookie that no script can read', async () => {
    later();
    const answer = await ask('POST', '/v1/sessions', {}, { ...operator, email: ' Operator@Example.com' });
    assert.equal(answer.status, 201);
    assert.match(
      String(answer.headers['set-cookie']?.[0]),
      /^tocsin_session=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Strict$/,
    );
    const me = bodyOf(answer);
    assert.match(me.user.id, /^[0-9a-f-]{36}$/);
    assert.deepEqual(
      { ...me, version: '', startedAt: '' },
      {
        kind: 'user',
        user: { id: me.user.id, email: operator.email, isOperator: true },
        role: 'operator',
        accountId: on.accountId,
        accounts: [{ id: on.accountId, name: 'Default', role: 'operator' }],
        version: '',
        startedAt: '',
        serverTimeZone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
        needsSecondFactor: false,
        readsOnly: false,
      },
    );
    assert.deepEqual(bodyOf(await ask('GET', '/v1/me', cookieOf(answer))), me);
  });

  test('with an API key, one is that key', async () => {
    const { kind, user, role, accounts } = bodyOf(
      await ask('GET', '/v1/me', { authorization: `Bearer ${on.apiKey}`, cookie: 'tocsin_session=x' }),
    );
    assert.deepEqual([kind, user, role, accounts.length], ['api-key', undefined, 'operator', 1]);
  });

  test('a wrong password and an unknown email are the same 401, after as much work', async () => {
    later();
    const took: number[][] = [[], []];
    for (let round = 0; round < 6; round++) {
      for (const [index, email] of [operator.email, 'nobody@example.com'].entries()) {
        const answer = await ask('POST', '/v1/sessions', {}, { email, password });
        assert.deepEqual([answer.status, bodyOf(answer).message], [401, 'Wrong email or password.']);
        took[index]?.push(answer.durationMs);
      }
    }
    const [known = 0, unknown = 0] = took.map((times) => Math.min(...times));
    assert.ok(unknown > known / 8, `${unknown} ms without a user, ${known} ms with one`);
  });

  test('ten attempts for a person in five minutes, then a 429 that says how long to wait', async () => {
    later();
    const attempt = (email: string) => ask('POST', '/v1/sessions', {}, { email, password });
    for (let count = 0; count < 10; count++) assert.equal((await attempt('victim@example.com')).status, 401);
    const refused = await attempt('VICTIM@example.com');
    assert.equal(refused.status, 429);
    const seconds = Number(refused.headers['retry-after']);
    assert.ok(seconds > 0 && seconds <= 300, `${seconds} s`);
    assert.equal(bodyOf(refused).message, `Too many attempts for this person. Try again in ${seconds} s.`);
    assert.equal((await attempt('other@example.com')).status, 401);
    later();
    assert.equal((await attempt('victim@example.com')).status, 401);
  });

  test('sixty attempts from an address, whatever is tried', async () => {
    later();
    const read = () => ask('POST', '/v1/invites/read', {}, { token: newToken() });
    for (let count = 0; count < 60; count++) assert.equal((await read()).status, 404);
    for (const [path, body] of [
      ['/v1/invites/read', { token: 'x' }],
      ['/v1/invites/accept', { token: 'x', password }],
      ['/v1/setup', { token: 'x', email: 'a@b.test', password }],
      ['/v1/sessions', operator],
    ] as const) {
      const refused = await ask('POST', path, {}, body);
      assert.equal(refused.status, 429, path);
      assert.match(bodyOf(refused).message, /^Too many attempts for this address\. Try again in \d+ s\.$/);
    }
  });
});

describe('a request with a session', () => {
  const wrong: readonly (readonly [string, Headers])[] = [
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another origin of the site', { 'sec-fetch-site': 'same-site' }],
    ['that a person typed', { 'sec-fetch-site': 'none' }],
    ['that does not say where it comes from', {}],
    ['with another origin', { origin: 'https://evil.example' }],
    ['with no origin', { origin: 'null' }],
    ['from another site with our origin', { 'sec-fetch-site': 'cross-site', origin: 'http://tocsin.test' }],
  ];
  for (const [what, from] of wrong) {
    test(`${what} reads, and changes nothing`, async () => {
      const { cookie = '' } = await signIn();
      const headers = { cookie, host: 'tocsin.test', ...from };
      assert.equal((await ask('GET', '/v1/me', headers)).status, 200);
      for (const [method, path] of [
        ['POST', '/v1/variables'],
        ['PUT', '/v1/me/password'],
        ['PATCH', '/v1/me/password'],
        ['DELETE', '/v1/sessions'],
      ] as const) {
        const answer = await ask(method, path, headers, { key: 'CSRF', value: '1' });
        assert.equal(answer.status, 403, `${method} ${path}`);
        assert.match(
          bodyOf(answer).message,
          /^A request with the session cookie must come from a page of this server\./,
        );
      }
      assert.equal((await ask('GET', '/v1/me', headers)).status, 200);
    });
  }

  test('from a page of this server changes what its person may change', async () => {
    const { cookie = '' } = await signIn();
    const origins: Headers[] = [
      ownPage,
      { origin: on.address },
      { origin: 'http://tocsin.test', host: 'tocsin.test' },
      { origin: 'https://tocsin.test:8443', host: 'tocsin.test:8443' },
    ];
    for (const [index, from] of origins.entries()) {
      const answer = await ask('POST', '/v1/variables', { cookie, ...from }, { key: `OWN_${index}`, value: '1' });
      assert.equal(answer.status, 201, answer.text);
    }
  });

  test('a page of another site cannot sign anybody in', async () => {
    later();
    const answer = await ask('POST', '/v1/sessions', { 'sec-fetch-site': 'cross-site' }, operator);
    assert.deepEqual([answer.status, answer.headers['set-cookie']], [403, undefined]);
  });

  test('of a person who is no operator names an account that is not theirs: 403', async () => {
    const { headers } = await join('elsewhere@example.com', 'owner', await signIn());
    const other = bodyOf(await ask('POST', '/v1/accounts', await signIn(), { name: 'Other' })).id;
    const answer = await ask('GET', '/v1/checks', { ...headers, 'x-service-account': other });
    assert.equal(answer.status, 403);
  });
});

describe('sessions', () => {
  test('are listed with the present one marked, ended one by one, and all at once', async () => {
    const { headers: first } = await join('sessions@example.com', 'read-only', await signIn());
    const second = await signIn({ email: 'sessions@example.com', password });
    const listed = bodyOf(await ask('GET', '/v1/sessions', second)) as { id: string; isCurrent: boolean }[];
    assert.deepEqual(
      listed.map(({ isCurrent }) => isCurrent),
      [true, false],
    );
    assert.deepEqual(Object.keys(listed[0] ?? {}), [
      'id',
      'createdAt',
      'lastSeenAt',
      'expiresAt',
      'userAgent',
      'openedBy',
      'isCurrent',
    ]);
    const old = listed[1]?.id ?? '';
    assert.equal((await ask('GET', '/v1/me', first)).status, 200);
    assert.equal((await ask('DELETE', `/v1/sessions/${old}`, await signIn())).status, 404, 'of another person');
    assert.equal((await ask('DELETE', `/v1/sessions/${old}`, second)).status, 204);
    assert.equal((await ask('GET', '/v1/me', first)).status, 401, 'at once');
    const third = await signIn({ email: 'sessions@example.com', password });
    const everywhere = await ask('DELETE', '/v1/sessions', third);
    assert.equal(everywhere.status, 204);
    assert.match(String(everywhere.headers['set-cookie']), /^tocsin_session=; Path=\/; Max-Age=0; /);
    for (const headers of [second, third]) assert.equal((await ask('GET', '/v1/me', headers)).status, 401);
  });

  test('signing out ends this session alone, and clears the cookie', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const out = await ask('DELETE', '/v1/session', one);
    assert.equal(out.status, 204);
    assert.match(String(out.headers['set-cookie']), /^tocsin_session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/);
    const refused = await ask('GET', '/v1/me', one);
    assert.deepEqual([refused.status, bodyOf(refused).message], [401, 'The session has ended. Sign in again.']);
    assert.equal((await ask('GET', '/v1/me', other)).status, 200);
  });

  test('end after 14 days without use, and not when used each week', async () => {
    const [used, idle] = [await signIn(), await signIn()];
    for (const days of [7, 7]) {
      clockMs += days * 24 * 60 * minuteMs;
      assert.equal((await ask('GET', '/v1/me', used)).status, 200);
    }
    assert.equal((await ask('GET', '/v1/me', idle)).status, 401);
  });

  test('an API key has none', async () => {
    const answer = await ask('GET', '/v1/sessions', { authorization: `Bearer ${on.apiKey}` });
    assert.deepEqual(
      [answer.status, bodyOf(answer).message],
      [403, 'API keys have no sessions. Sign in to use this operation.'],
    );
  });

  test('another password ends the other sessions, and must be right and good', async () => {
    const { headers: first } = await join('password@example.com', 'read-only', await signIn());
    const second = await signIn({ email: 'password@example.com', password });
    const change = (currentPassword: string, newPassword: string) =>
      ask('PUT', '/v1/me/password', second, { currentPassword, newPassword });
    const refusals = [
      ['wrong password', 'yet another password', { currentPassword: 'The current password is wrong.' }],
      [password, 'short', { newPassword: 'The password must have at least 10 characters.' }],
      [password, 'x'.repeat(201), { newPassword: 'The password must have at most 200 characters.' }],
      [password, 'Password123', { newPassword: 'The password is too common; choose one that is harder to guess.' }],
      [password, 'abababababab', { newPassword: 'The password is too common; choose one that is harder to guess.' }],
      [password, 'PASSWORD@example.com', { newPassword: 'The password must not be the email address.' }],
    ] as const;
    for (const [current, next, attributes] of refusals) {
      const refused = await change(current, next);
      assert.deepEqual([refused.status, bodyOf(refused).attributes], [400, attributes]);
    }
    assert.equal((await change(password, 'yet another password')).status, 204);
    assert.equal((await ask('GET', '/v1/me', first)).status, 401);
    assert.equal((await ask('GET', '/v1/me', second)).status, 200);
    later();
    assert.equal((await ask('POST', '/v1/sessions', {}, { email: 'password@example.com', password })).status, 401);
    await signIn({ email: 'password@example.com', password: 'yet another password' });
  });
});

test('the setup link is neither printed nor needed where the configuration names the first user', () => {
  assert.equal(on.tocsin.setupUrl, null);
});

test('of tokens and passwords only hashes are stored', async () => {
  const { cookie = '' } = await signIn();
  const token = cookie.split('=')[1] ?? '';
  const row = on.raw.prepare('SELECT count(*) AS n FROM sessions WHERE hash = ?').get(tokenHash(token));
  assert.equal(row?.['n'], 1);
  const user = on.raw.prepare('SELECT password FROM users WHERE email = ?').get(operator.email);
  assert.match(String(user?.['password']), /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
});
