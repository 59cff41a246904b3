// Signing in behind a proxy: whose address counts, and the cookie of pages that were loaded over TLS.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startComposed } from '../support/service/composed.ts';
import { askAt, bodyOf, cookieOf, ownPage } from './session-calls.ts';

const operator = { email: 'operator@example.com', password: 'correct horse battery' };
const environment = {
  TOCSIN_ROLES: 'api',
  TOCSIN_ALLOWED_HOSTS: 'tocsin.test',
  TOCSIN_BOOTSTRAP_EMAIL: operator.email,
  TOCSIN_BOOTSTRAP_PASSWORD: operator.password,
};

test('behind a trusted proxy, attempts of an attacker keep neither the person nor other people out', async (t) => {
  const on = await startComposed(t, { ...environment, TOCSIN_TRUSTED_PROXIES: '127.0.0.1' });
  const attempt = (from: string, who: object = { ...operator, password: 'a wrong password' }) =>
    askAt(on, 'POST', '/v1/sessions', { 'x-forwarded-for': from }, who);
  for (let count = 0; count < 10; count++) assert.equal((await attempt('203.0.113.7')).status, 401);
  const refused = await attempt('203.0.113.7', operator);
  assert.equal(refused.status, 429);
  assert.match(bodyOf(refused).message, /^Too many attempts for this person\./);
  // The proxy appends the address that it saw to what the client has sent.
  assert.equal((await attempt('198.51.100.1, 203.0.113.7', operator)).status, 429);
  assert.equal((await attempt('198.51.100.1', operator)).status, 201);

  const read = (from: string) =>
    askAt(on, 'POST', '/v1/invites/read', { 'x-forwarded-for': from }, { token: 'x'.repeat(43) });
  // The twelve sign-ins count, too.
  for (let count = 12; count < 60; count++) assert.equal((await read('203.0.113.7')).status, 404);
  assert.match(bodyOf(await read('203.0.113.7')).message, /^Too many attempts for this address\./);
  assert.equal((await read('203.0.113.8')).status, 404);
});

test('without a trusted proxy, no header changes the address that counts', async (t) => {
  const on = await startComposed(t, environment);
  for (let count = 0; count <= 10; count++) {
    const headers = { 'x-forwarded-for': `203.0.113.${count}`, forwarded: `for=203.0.113.${count}` };
    const answer = await askAt(on, 'POST', '/v1/sessions', headers, { ...operator, password: 'a wrong password' });
    assert.equal(answer.status, count < 10 ? 401 : 429);
  }
});

test('a session has ten attempts to change the password, which strangers cannot use up', async (t) => {
  const on = await startComposed(t, { ...environment, TOCSIN_TRUSTED_PROXIES: '127.0.0.1' });
  const session = cookieOf(await askAt(on, 'POST', '/v1/sessions', ownPage, operator));
  const change = async (address: number) => {
    const headers = { ...session, 'x-forwarded-for': `203.0.113.${address}` };
    const body = { currentPassword: 'a wrong password', newPassword: 'short' };
    return askAt(on, 'PUT', '/v1/me/password', headers, body);
  };
  for (let count = 0; count < 10; count++) assert.equal((await change(count)).status, 400);
  assert.equal((await change(50)).status, 429);
});

test('the cookie is for TLS alone if the page was loaded over TLS, also without a public URL', async (t) => {
  const on = await startComposed(t, environment);
  const signIn = (origin: string) =>
    askAt(on, 'POST', '/v1/sessions', { origin, host: 'tocsin.test' }, operator).then(
      ({ headers }) => headers['set-cookie']?.[0] ?? '',
    );
  assert.match(await signIn('https://tocsin.test'), /^tocsin_session=.*; HttpOnly; SameSite=Strict; Secure$/);
  assert.match(await signIn('http://tocsin.test'), /^tocsin_session=.*; HttpOnly; SameSite=Strict$/);
});

test('answers to a session are not stored, and no answer is taken for another type', async (t) => {
  const on = await startComposed(t, environment);
  const session = cookieOf(await askAt(on, 'POST', '/v1/sessions', ownPage, operator));
  const { headers } = await askAt(on, 'GET', '/v1/me', session);
  assert.deepEqual([headers['cache-control'], headers['x-content-type-options']], ['no-store', 'nosniff']);
  for (const path of ['/v1/checks', '/nothing-here', '/health/live', '/metrics']) {
    const answer = await askAt(on, 'GET', path);
    assert.equal(answer.headers['x-content-type-options'], 'nosniff', path);
  }
});
