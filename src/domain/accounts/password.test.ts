// Password rules.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isCommonPassword } from '#lib/common-passwords.ts';
import { passwordProblem } from './password.ts';

const short = 'must have at least 10 characters';
const common = 'is too common; choose one that is harder to guess';

for (const [password, problem] of [
  ['correct horse', null],
  ['äöüß✓ long enough', null],
  ['123456789', short],
  // Ten characters as entered, nine after normalization: e and a combining accent become one.
  ['abcdefghe\u0301', short],
  ['x'.repeat(201), 'must have at most 200 characters'],
  ['1234567890', common],
  ['QWERTYUIOP', common],
  ['aaaaaaaaaaaa', common],
  ['Ada@Example.com', 'must not be the email address'],
] as const) {
  test(`the password ${JSON.stringify(password).slice(0, 30)} ${problem ?? 'is accepted'}`, async () => {
    assert.equal(passwordProblem(password, 'ada@example.com', await isCommonPassword(password)), problem);
  });
}
