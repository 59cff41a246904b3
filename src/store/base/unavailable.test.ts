// Classification of PostgreSQL errors: temporary or fixable by the operator, or a bug.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseError } from 'pg';
import { postgresErrorOf, StoreUnavailableError } from './unavailable.ts';

function fault(code: string): Error {
  const error = new DatabaseError('refused', 7, 'error');
  error.code = code;
  error.severity = 'FATAL';
  return error;
}

const passing = '08006 28P01 28000 3D000 40001 40P01 53300 55P03 57P01 58030 25006 25P03'.split(' ');
const lasting = '22001 23505 25001 42P01 42501 55000 XX000'.split(' ');

test('a server that rejects the login, is full, shuts down or is read-only is unavailable; a bug is not', () => {
  for (const code of passing) assert.ok(postgresErrorOf(fault(code)) instanceof StoreUnavailableError, code);
  for (const code of lasting) assert.equal(postgresErrorOf(fault(code)) instanceof StoreUnavailableError, false, code);
});
