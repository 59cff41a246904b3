// Codes as people type them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneTimePassword, recoveryCode, shownRecoveryCode } from './second-factor.ts';

test('a one-time password may be typed with spaces', () => {
  assert.equal(oneTimePassword(' 123 456'), '123456');
  for (const text of ['', '12345', '1234567', '12345a', '١٢٣٤٥٦']) assert.equal(oneTimePassword(text), null, text);
});

test('a recovery code is read as it is shown, in small letters and without hyphens', () => {
  const code = 'ABCDEFGHIJKLMNOP';
  assert.equal(shownRecoveryCode(code), 'ABCD-EFGH-IJKL-MNOP');
  for (const text of [code, shownRecoveryCode(code), 'abcd efgh ijkl mnop']) assert.equal(recoveryCode(text), code);
  for (const text of ['', 'ABCD', '123456', 'ABCD-EFGH-IJKL-MNO1']) assert.equal(recoveryCode(text), null, text);
});
