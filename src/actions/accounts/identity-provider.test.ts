// A provider that hangs: each sign-in waits for a bounded time, and few wait at once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Refusal } from '../refusal.ts';
import { createIdentityProvider } from './identity-provider.ts';

test('a provider that hangs is given up, and the 21st sign-in does not wait', async (t) => {
  const server = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const plain = { clientId: 'c', clientSecret: 's', name: 'Corp', scopes: [], domains: [], roles: {} };
  const logged: string[] = [];
  const provider = createIdentityProvider({
    settings: { ...plain, issuer, isInvitedOnly: false },
    redirectUri: () => 'http://127.0.0.1/sign-in/callback',
    fetch: (url, { headers, method, redirect, signal }) =>
      fetch(url, { headers, method, redirect, ...(signal !== undefined && { signal }) }),
    timeoutMs: 500,
    clock: { now: () => 0 },
    log: { warn: (name) => void logged.push(name) },
  });
  const begin = () =>
    provider.begin({ state: 's', nonce: 'n', verifier: 'v' }).then(
      () => assert.fail('it has answered'),
      (error: unknown) => {
        assert.ok(error instanceof Refusal);
        return error.message;
      },
    );
  const waiting = Array.from({ length: 20 }, begin);
  assert.match(await begin(), /Too many sign-ins in progress/);
  assert.deepEqual(logged, [], 'the others still wait');
  for (const message of await Promise.all(waiting)) assert.match(message, /^Corp cannot be reached/);
  assert.match(await begin(), /^Corp cannot be reached/, 'there is room again');
});
