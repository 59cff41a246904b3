// Secret fields are recognized however their schema is written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { secretFields, secretText } from './secrets.ts';

test('a secret stays one if it is described, limited, made optional or given a default', () => {
  const secret = secretText(z.string());
  const schema = z.strictObject({
    plain: z.string().describe('open'),
    a: secret,
    b: secret.describe('hidden'),
    c: secret.min(1).max(5).describe('hidden'),
    d: secret.describe('hidden').nullable().exactOptional().describe('again'),
    e: secret.default('x'),
  });
  assert.deepEqual(secretFields(schema), ['a', 'b', 'c', 'd', 'e']);
});
