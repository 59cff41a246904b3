// Permissions of users, and session expiry.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MemberRole } from './api-key.ts';
import { callerOfUser, sessionEnd } from './user.ts';

const dayMs = 86_400_000;

function person(isOperator: boolean, ...roles: readonly MemberRole[]) {
  const memberships = roles.map((role, index) => ({ accountId: String(index), role }));
  return { kind: 'user', id: 'u', email: 'ada@example.com', isOperator, sessionId: 's', memberships } as const;
}

for (const [isOperator, roles, named, role, reached] of [
  [false, ['owner', 'admin', 'owner'], undefined, 'owner', ['0', '2']],
  [false, ['owner', 'admin', 'owner'], '1', 'admin', ['0', '1', '2']],
  [false, ['read-only', 'read-write', 'admin'], undefined, 'read-only', ['0', '1', '2']],
  [false, ['read-only', 'read-write', 'admin'], '1', 'read-write', ['1', '2']],
  [true, ['owner', 'admin', 'read-write'], undefined, 'operator', ['0', '1']],
  [true, ['owner', 'admin', 'read-write'], '2', 'read-write', ['0', '1', '2']],
] as const) {
  test(`${isOperator ? 'an operator' : 'a user'} with the roles ${roles.join(', ')} acts in ${named ?? 'the first account'} as ${role}`, () => {
    const caller = callerOfUser(person(isOperator, ...roles), named);
    assert.deepEqual([caller?.role, caller?.accountId, caller?.accountIds], [role, named ?? '0', reached]);
  });
}

test('users cannot act in accounts of others, not even operators', () => {
  assert.equal(callerOfUser(person(true, 'owner'), '1'), null);
  assert.equal(callerOfUser(person(false)), null);
});

test('a session ends 14 days after its last use, or when it expires', () => {
  assert.equal(sessionEnd({ lastSeenAt: 0, expiresAt: 90 * dayMs }), 14 * dayMs);
  assert.equal(sessionEnd({ lastSeenAt: 80 * dayMs, expiresAt: 90 * dayMs }), 90 * dayMs);
});
