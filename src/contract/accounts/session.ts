// Sessions, second factors, initial setup and the current caller in the API.
import { z } from 'zod';
import { instant, pathUuid } from '#lib/schema/fields.ts';
import { roles } from '#domain/accounts/api-key.ts';
import { sessionOpenings } from '#domain/accounts/user.ts';
import { tagged, type Untagged } from '../operation.ts';

/** An email address, compared case-insensitively. */
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an email address')
  .describe('Case-insensitive.');

/** Bounds the size only; rules for new passwords have their own messages. */
export const password = z.string().min(1).max(1000);

const newPassword = password.describe('10 to 200 characters. Common passwords are rejected.');

export const code = z
  .string()
  .max(100)
  .exactOptional()
  .describe('A code of the authenticator app or a recovery code, for a person with a second factor.');

export const oneTimeToken = z.string().max(100).describe('The part of the link after `#`.');

const role = z.enum(roles).describe('`operator`: an owner or admin who also operates the installation.');

export const me = z
  .strictObject({
    kind: z.enum(['user', 'api-key']),
    user: z
      .strictObject({ id: z.uuid(), email: z.string(), isOperator: z.boolean() })
      .exactOptional()
      .describe('Absent for an API key.'),
    role,
    accountId: z.string().describe('The account of the request.'),
    accounts: z.array(z.strictObject({ id: z.string(), name: z.string(), role })),
    version: z.string().describe('Version of the server. It changes with an upgrade.'),
    startedAt: instant.describe('Start time of the process that responded.'),
    serverTimeZone: z.string().describe('IANA name: the zone of accounts without a `timeZone`.'),
    needsSecondFactor: z
      .boolean()
      .describe('Whether the person must set up a second factor before doing anything in this account.'),
    readsOnly: z.boolean().describe('Whether the role is read-only in this account.'),
  })
  .meta({ id: 'Me', description: 'The caller and the accounts the caller has access to.' });
export type MeBody = z.output<typeof me>;

const session = z
  .strictObject({
    id: z.uuid(),
    createdAt: instant,
    lastSeenAt: instant.describe('Accurate to one minute.'),
    expiresAt: instant.describe('When the session expires if it is not used again.'),
    userAgent: z.string(),
    openedBy: z
      .enum(sessionOpenings)
      .describe('`link` = an invitation or setup link, with a password; `provider` = the identity provider.'),
    isCurrent: z.boolean(),
  })
  .meta({ id: 'Session', description: 'A signed-in browser.' });
export type SessionBody = z.output<typeof session>;

const setsCookie = 'The response sets the session cookie.';
/** Errors of operations that take a password or a one-time token. */
export const tooMany = {
  429: 'Too many attempts for this person or address. Wait for the number of seconds in `retry-after`.',
  503: 'Too many sign-ins in progress. Try again in a few seconds.',
};

export const sessionOperations = tagged('Sessions', {
  getMe: {
    method: 'GET',
    path: '/v1/me',
    summary: 'Get the current caller',
    permission: 'any',
    response: me,
  },
  getSetup: {
    method: 'GET',
    path: '/v1/setup',
    summary: 'Check whether the installation has no user yet',
    permission: 'none',
    response: z
      .strictObject({
        isNeeded: z.boolean(),
        resetsByEmail: z.boolean().describe('Whether people can request links for other passwords by email.'),
        provider: z
          .string()
          .nullable()
          .describe('Name of the identity provider with which people can sign in; null = none.'),
      })
      .meta({ id: 'Setup' }),
  },
  createSetup: {
    method: 'POST',
    path: '/v1/setup',
    summary: 'Create a user with a setup link and sign in',
    description: `A setup link works once, for 24 hours. The user operates the installation and owns its oldest account. If a user with the email address exists, the link sets a new password and makes the user an operator. ${setsCookie}`,
    permission: 'none',
    body: z.strictObject({ token: oneTimeToken, email, password: newPassword }),
    status: 201,
    response: me,
    alsoAnswers: { 404: 'The link was used or has expired. Run `tocsin new-user` for a new one.', ...tooMany },
  },
  createSession: {
    method: 'POST',
    path: '/v1/sessions',
    summary: 'Sign in',
    description: `${setsCookie} A session expires after 14 days without use, and 90 days after sign-in.`,
    permission: 'none',
    body: z.strictObject({ email, password, code }),
    status: 201,
    response: me,
    alsoAnswers: {
      401: 'Wrong email, password or code. The attribute `secondFactor` says that a code is required.',
      ...tooMany,
    },
  },
  listSessions: {
    method: 'GET',
    path: '/v1/sessions',
    summary: 'List your sessions',
    permission: 'user',
    response: z.array(session),
  },
  deleteSessions: {
    method: 'DELETE',
    path: '/v1/sessions',
    summary: 'Sign out everywhere',
    description: 'Ends all your sessions, including the current one.',
    permission: 'user',
    status: 204,
  },
  deleteSession: {
    method: 'DELETE',
    path: '/v1/sessions/{id}',
    summary: 'Revoke one of your sessions',
    permission: 'user',
    params: z.object({ id: pathUuid('ID of the session.') }),
    status: 204,
    alsoAnswers: { 404: 'Unknown session.' },
  },
  signOut: {
    method: 'DELETE',
    path: '/v1/session',
    summary: 'Sign out',
    permission: 'user',
    status: 204,
  },
  createPasswordReset: {
    method: 'POST',
    path: '/v1/password-resets',
    summary: 'Request a link for another password by email',
    description:
      'The link works once, for 30 minutes. The answer is the same whether a person has the address. Nothing is sent if several people have it and none has proven it.',
    permission: 'none',
    body: z.strictObject({ email }),
    status: 202,
    alsoAnswers: { ...tooMany, 409: 'Email is not set up.' },
  },
  usePasswordReset: {
    method: 'POST',
    path: '/v1/password-resets/use',
    summary: 'Set another password with a link',
    description: 'Ends all sessions of the person and starts none. A second factor stays.',
    permission: 'none',
    body: z.strictObject({ token: oneTimeToken, password: newPassword }),
    status: 204,
    alsoAnswers: { ...tooMany, 404: 'The link was used or replaced, or it has expired.' },
  },
  updatePassword: {
    method: 'PUT',
    path: '/v1/me/password',
    summary: 'Update your password',
    description: 'Ends your other sessions.',
    permission: 'user',
    body: z.strictObject({ currentPassword: password, newPassword }),
    status: 204,
    alsoAnswers: tooMany,
  },
} as const satisfies Untagged);

const appCode = z.string().max(100).describe('A code of the authenticator app.');

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
    body: z.strictObject({ code: appCode }),
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
