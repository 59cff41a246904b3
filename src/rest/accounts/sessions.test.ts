// Limits of sign-ins: neither forged addresses nor guesses keep a person out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHashingTurns } from '#actions/accounts/hashing-turns.ts';
import { createKnownDevices } from '#actions/accounts/known-devices.ts';
import { Refusal } from '#actions/refusal.ts';
import type { UserPrincipal } from '#domain/accounts/api-key.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { Answer, type AnyCall } from '../route.ts';
import { createAttemptLimits } from './attempts.ts';
import { sessionRoutes, type SessionRoutesDeps } from './sessions.ts';

const password = 'correct horse battery';
const { signal } = new AbortController();

/** The route that signs in, with users whose password is always the same and costs nothing to check. */
function signingIn() {
  let emailOf = '';
  const sessions = {
    async signIn(given: { readonly email: string; readonly password: string }) {
      if (given.password !== password) throw new Refusal('unauthenticated', 'Wrong email or password.');
      emailOf = given.email;
      return 'token';
    },
  };
  const memberships = [{ accountId: 'a', role: 'owner' }] as const;
  const principal = (): UserPrincipal => ({
    kind: 'user',
    id: 'u',
    email: emailOf,
    isOperator: false,
    sessionId: 's',
    memberships,
  });
  const deps = {
    sessions,
    knownDevices: createKnownDevices(Buffer.alloc(32, 7)),
    hashingTurns: createHashingTurns(),
    authenticateSession: principal,
    readMe: async (caller: object) => ({ caller, accounts: [], version: '1', startedAt: 0, readsOnly: false }),
    publicUrl: () => 'http://tocsin.test',
    now: () => 1_795_000_000_000,
  };
  const { run } =
    sessionRoutes(deps as unknown as SessionRoutesDeps, createAttemptLimits(deps.now)).find(
      ({ id }) => id === 'createSession',
    ) ?? {};
  return async (email: string, given: string, address: string, cookie?: string) => {
    try {
      const call = { body: { email, password: given }, headers: { cookie }, address, signal } as unknown as AnyCall;
      const answer = await run?.(call);
      assert.ok(answer instanceof Answer);
      return { status: answer.status, cookies: answer.headers['set-cookie'] as readonly string[] };
    } catch (error) {
      if (error instanceof HttpRefusal) return { status: error.statusCode, cookies: [] };
      assert.ok(error instanceof Refusal);
      return { status: error.code === 'unauthenticated' ? 401 : 503, cookies: [] };
    }
  };
}

const forged = (n: number): string => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;

test('a flood from 150,000 addresses with as many names leaves everybody their attempts', async () => {
  const attempt = signingIn();
  for (let n = 0; n < 150_000; n++) await attempt(`stranger-${n}@example.com`, 'a guess', forged(n));
  for (let n = 0; n < 9; n++) assert.equal((await attempt('ada@example.com', 'a typo', '192.0.2.1')).status, 401);
  assert.equal((await attempt('ada@example.com', password, '192.0.2.1')).status, 201);
  assert.equal((await attempt('ada@example.com', password, '192.0.2.1')).status, 429);
  assert.equal((await attempt('bob@example.com', password, '192.0.2.2')).status, 201);
});

test('a person under attack still gets in from a device that is known, and no one else with its cookie', async () => {
  const attempt = signingIn();
  const [, device = ''] = (await attempt('ada@example.com', password, '192.0.2.1')).cookies;
  assert.match(device, /^tocsin_device=[\w-]+; Path=\/v1\/sessions; Max-Age=34560000; HttpOnly; SameSite=Strict$/);
  const cookie = device.split(';', 1)[0];
  for (let n = 0; n < 120; n++) await attempt('ada@example.com', 'a guess', forged(n));
  assert.equal((await attempt('ada@example.com', password, '192.0.2.1')).status, 429, 'any other device');
  // Also from the address of the attacker, who has used up all of its attempts.
  for (let n = 0; n < 60; n++) await attempt(`stranger-${n}@example.com`, 'a guess', '192.0.2.9');
  assert.equal((await attempt('bob@example.com', password, '192.0.2.9')).status, 429);
  assert.equal((await attempt('ada@example.com', password, '192.0.2.9', cookie)).status, 201);
  assert.equal((await attempt('bob@example.com', password, '192.0.2.9', cookie)).status, 429, 'of another person');
  const changed = `${cookie?.slice(0, -1)}${cookie?.endsWith('A') ? 'Q' : 'A'}`;
  assert.equal((await attempt('ada@example.com', password, '192.0.2.9', changed)).status, 429, 'not issued here');
  for (let n = 0; n < 29; n++) assert.equal((await attempt('ada@example.com', 'a guess', '', cookie)).status, 401);
  assert.equal((await attempt('ada@example.com', password, '192.0.2.9', cookie)).status, 429, 'guesses are limited');
});
