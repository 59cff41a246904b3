// Permissions of the roles of API keys.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiKeyRole, apiKeyRoles, mayDo, type Permission } from './api-key.ts';

const permissions: readonly Permission[] = ['read', 'run', 'write', 'admin', 'operate'];
const table: Readonly<Record<ApiKeyRole, readonly Permission[]>> = {
  'read-only': ['read'],
  'read-run': ['read', 'run'],
  'read-write': ['read', 'run', 'write'],
  operator: ['read', 'run', 'write', 'admin', 'operate'],
  admin: ['read', 'run', 'write', 'admin'],
};

describe('a key', () => {
  for (const role of apiKeyRoles) {
    it(`with the role ${role} may ${table[role].join(', ')} and nothing else`, () => {
      assert.deepEqual(
        permissions.filter((permission) => mayDo(role, permission)),
        table[role],
      );
    });
  }
});
