// People at the identity provider: verified addresses, domains and roles by claim.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInDomains, rolesOf, verifiedEmail } from './identity.ts';

test('only an address that the provider has verified counts', () => {
  assert.equal(verifiedEmail({ email: 'Ada@Example.com', email_verified: true }), 'ada@example.com');
  assert.equal(verifiedEmail({ email: 'ada@example.com', email_verified: 'true' }), 'ada@example.com');
  for (const verified of [false, 'false', undefined, 1]) {
    assert.equal(verifiedEmail({ email: 'ada@example.com', email_verified: verified }), null);
  }
  for (const email of [undefined, 7, 'ada', 'a b@example.com', `${'a'.repeat(250)}@x.com`]) {
    assert.equal(verifiedEmail({ email, email_verified: true }), null);
  }
});

test('an address is in a domain only after its last @, and not in subdomains', () => {
  assert.equal(isInDomains('ada@example.com', ['example.org', 'example.com']), true);
  for (const email of ['ada@example.com.evil.org', 'ada@sub.example.com', 'example.com@evil.org', 'ada@xexample.com']) {
    assert.equal(isInDomains(email, ['example.com']), false, email);
  }
});

test('claims give the strongest role in each account', () => {
  const roles = {
    groups: { ops: { a: 'admin', b: 'read-only' }, dev: { a: 'read-write', b: 'read-run' } },
    'https://example.com/level': { '3': { c: 'owner' } },
    sub: { '*': { d: 'read-only' } },
  } as const;
  assert.deepEqual(rolesOf({ groups: ['dev', 'ops', 7, null, {}], sub: 'x' }, roles), [
    { accountId: 'a', role: 'admin' },
    { accountId: 'b', role: 'read-run' },
    { accountId: 'd', role: 'read-only' },
  ]);
  assert.deepEqual(rolesOf({ groups: 'dev', 'https://example.com/level': 3 }, roles), [
    { accountId: 'a', role: 'read-write' },
    { accountId: 'b', role: 'read-run' },
    { accountId: 'c', role: 'owner' },
  ]);
  assert.deepEqual(rolesOf({ groups: ['*', 'opsx', 'constructor'] }, roles), []);
  assert.deepEqual(rolesOf({}, { toString: { '*': { a: 'owner' } } } as never), []);
});
