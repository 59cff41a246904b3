// The link that creates the first user.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newToken } from '#actions/accounts/key-text.ts';
import { startComposed } from '../support/service/composed.ts';
import { askAt, bodyOf, cookieOf } from './session-calls.ts';

const operator = { email: 'operator@example.com', password: 'correct horse battery' };

test('the setup link of a start creates the first user once; behind TLS the cookie is bound to the host', async (t) => {
  const fresh = await startComposed(t, { TOCSIN_ROLES: 'api', TOCSIN_PUBLIC_URL: 'https://tocsin.test' });
  const { setupUrl } = fresh.tocsin;
  assert.match(setupUrl ?? '', /^https:\/\/tocsin\.test\/setup#[\w-]{43}$/);
  const token = setupUrl?.split('#')[1] ?? '';
  assert.ok(!JSON.stringify(fresh.logged).includes(token));
  assert.deepEqual(bodyOf(await askAt(fresh, 'GET', '/v1/setup')), {
    isNeeded: true,
    resetsByEmail: false,
    provider: null,
  });
  const create = (body: object) => askAt(fresh, 'POST', '/v1/setup', {}, { token, ...operator, ...body });
  for (const wrong of [{ email: 'nobody' }, { password: 'short' }, { password: 'password123' }]) {
    assert.equal((await create(wrong)).status, 400, JSON.stringify(wrong));
  }
  const unknown = await create({ token: newToken() });
  assert.equal(unknown.status, 404);
  assert.match(bodyOf(unknown).message, /tocsin new-user/);
  const made = await create({});
  assert.equal(made.status, 201, made.text);
  assert.match(
    String(made.headers['set-cookie']?.[0]),
    /^__Host-tocsin=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Strict; Secure$/,
  );
  assert.deepEqual([bodyOf(made).role, bodyOf(made).user.isOperator], ['operator', true]);
  assert.deepEqual(bodyOf(await askAt(fresh, 'GET', '/v1/setup')), {
    isNeeded: false,
    resetsByEmail: false,
    provider: null,
  });
  assert.equal((await create({ email: 'second@example.com' })).status, 404);
  const { cookie = '' } = cookieOf(made);
  assert.equal((await askAt(fresh, 'GET', '/v1/me', { cookie })).status, 200);
  const renamed = { cookie: cookie.replace('__Host-tocsin', 'tocsin_session') };
  assert.equal((await askAt(fresh, 'GET', '/v1/me', renamed)).status, 401);
});
