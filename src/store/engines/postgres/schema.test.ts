// Supported PostgreSQL versions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OldServerError, refuseOldServer } from './schema.ts';

test('rejects a server before PostgreSQL 14 with its version and the required one', () => {
  for (const [number, name] of [
    [130_023, '13.23 (Debian 13.23-1.pgdg120+1)'],
    [90_624, '9.6.24'],
  ] as const) {
    assert.throws(
      () => refuseOldServer({ number, name }),
      (error) =>
        error instanceof OldServerError &&
        error.message === `the database server is PostgreSQL ${name}: Tocsin needs 14 or newer`,
    );
  }
});

test('accepts PostgreSQL 14 and later, including betas', () => {
  for (const [number, name] of [
    [140_000, '14beta1'],
    [140_005, '14.5'],
    [180_004, '18.4'],
  ] as const) {
    assert.doesNotThrow(() => refuseOldServer({ number, name }));
  }
});
