// The second factor of the signed-in person in the API.
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';
import { password, tooMany } from './session.ts';

const code = z.string().max(100).describe('A code of the authenticator app.');

const recoveryCodes = z
  .strictObject({
    recoveryCodes: z.array(z.string()).describe('Each works once in place of a code. They are not shown again.'),
  })
  .meta({ id: 'RecoveryCodes' });

const proof = z.strictObject({
  password,
  code: z.string().max(100).describe('A code of the authenticator app or a recovery code.'),
});

const wrong = { ...tooMany, 409: 'The second factor is not set up, or was changed meanwhile.' };

export const secondFactorOperations = tagged('Sessions', {
  getSecondFactor: {
    method: 'GET',
    path: '/v1/me/second-factor',
    summary: 'Get your second factor',
    permission: 'user',
    response: z
      .strictObject({
        since: instant.nullable().describe('When it was set up; null = you have none.'),
        recoveryCodesLeft: z.int(),
      })
      .meta({ id: 'SecondFactor' }),
  },
  createSecondFactor: {
    method: 'POST',
    path: '/v1/me/second-factor',
    summary: 'Set up a second factor',
    description: 'Returns a secret for an authenticator app (TOTP, 6 digits, 30 s, SHA-1). Confirm it with a code.',
    permission: 'user',
    body: z.strictObject({ password }),
    status: 201,
    response: z
      .strictObject({ secret: z.string().describe('In base32.'), url: z.string().describe('Show it as a QR code.') })
      .meta({ id: 'NewSecondFactor' }),
    alsoAnswers: { ...tooMany, 409: 'You have a second factor already.' },
  },
  confirmSecondFactor: {
    method: 'PUT',
    path: '/v1/me/second-factor',
    summary: 'Confirm a second factor',
    description: 'From now on, sign-in asks for a code. Ends your other sessions.',
    permission: 'user',
    body: z.strictObject({ code }),
    response: recoveryCodes,
    alsoAnswers: wrong,
  },
  createRecoveryCodes: {
    method: 'POST',
    path: '/v1/me/recovery-codes',
    summary: 'Replace your recovery codes',
    permission: 'user',
    body: proof,
    status: 201,
    response: recoveryCodes,
    alsoAnswers: wrong,
  },
  removeSecondFactor: {
    method: 'POST',
    path: '/v1/me/second-factor/removal',
    summary: 'Remove your second factor',
    permission: 'user',
    body: proof,
    status: 204,
    alsoAnswers: wrong,
  },
} as const satisfies Untagged);
