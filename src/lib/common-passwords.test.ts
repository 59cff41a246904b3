// Contents of the list of common passwords.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCommonPassword } from './common-passwords.ts';

test('passwords that attackers try first are common, in any case', async () => {
  for (const password of ['1234567890', 'qwertyuiop', 'password123', 'Basketball', '1QAZ2WSX3EDC']) {
    assert.ok(await isCommonPassword(password), password);
  }
  for (const password of ['correct horse battery', 'basketball of my sister']) {
    assert.ok(!(await isCommonPassword(password)), password);
  }
});
