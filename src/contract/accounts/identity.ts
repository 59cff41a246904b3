// Sign-in with the identity provider, and the identity of the signed-in person, in the API.
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';
import { code, me, oneTimeToken, password, tooMany } from './session.ts';

const page = z
  .strictObject({ url: z.string().describe('Page of the identity provider. Send the browser there.') })
  .meta({ id: 'ProviderPage' });

const answer = z
  .string()
  .max(8000)
  .describe('Query of the page `/sign-in/callback`, to which the identity provider has sent the browser.');

const identity = z
  .strictObject({
    provider: z.string().nullable().describe('Name of the identity provider; null = none is configured.'),
    connectedAt: instant.nullable().describe('null = not connected.'),
    email: z.string().nullable().describe('Email address there at that time; null = not verified.'),
    hasPassword: z.boolean().describe('Whether the person can also sign in with a password.'),
  })
  .meta({ id: 'Identity', description: 'The person at the identity provider of the installation.' });
export type IdentityBody = z.output<typeof identity>;

const proof = z.strictObject({ password, code });
const setsFlow = 'The response sets a cookie that is valid for 10 minutes.';
const providerFaults = {
  ...tooMany,
  404: 'No identity provider is configured.',
  503: 'The identity provider cannot be reached or does not answer as expected, or too many sign-ins are in progress.',
};
const otherOrigin = 'The page is not one of `TOCSIN_PUBLIC_URL`.';
const otherFlow = 'The answer is of a sign-in in another browser, or was used or has expired';

export const identityOperations = tagged('Sessions', {
  createProviderSignIn: {
    method: 'POST',
    path: '/v1/provider-sign-ins',
    summary: 'Begin to sign in with the identity provider',
    description: setsFlow,
    permission: 'none',
    status: 201,
    response: page,
    alsoAnswers: { ...providerFaults, 409: otherOrigin },
  },
  createProviderSession: {
    method: 'POST',
    path: '/v1/provider-sign-ins/finish',
    summary: 'Finish to sign in with the identity provider',
    description:
      'Starts a session, which ends after 7 days at the latest. With the token of an invitation, the person joins its account.',
    permission: 'none',
    body: z.strictObject({ answer, invitation: oneTimeToken.exactOptional() }),
    status: 201,
    response: me,
    alsoAnswers: {
      ...providerFaults,
      403: 'The identity provider did not sign the person in, or the person may not sign in here.',
      404: 'No identity provider is configured, or the invitation was used or withdrawn, or it has expired.',
      409: `${otherFlow}.`,
    },
  },
  getIdentity: {
    method: 'GET',
    path: '/v1/me/identity',
    summary: 'Get your identity at the identity provider',
    permission: 'user',
    response: identity,
  },
  createIdentityConnection: {
    method: 'POST',
    path: '/v1/me/identity',
    summary: 'Begin to connect the identity provider',
    description: setsFlow,
    permission: 'user',
    body: proof,
    status: 201,
    response: page,
    alsoAnswers: { ...providerFaults, 409: otherOrigin },
  },
  connectIdentity: {
    method: 'PUT',
    path: '/v1/me/identity',
    summary: 'Connect the identity provider',
    permission: 'user',
    body: z.strictObject({ answer }),
    response: identity,
    alsoAnswers: {
      ...providerFaults,
      409: `${otherFlow}; or you or another person is connected already.`,
    },
  },
  removeIdentity: {
    method: 'POST',
    path: '/v1/me/identity/removal',
    summary: 'Disconnect the identity provider',
    description: 'Ends your other sessions. Needs a password, with which you sign in from then on.',
    permission: 'user',
    body: proof,
    status: 204,
    alsoAnswers: {
      ...tooMany,
      404: 'No identity provider is configured.',
      409: 'Not connected, or you have no password.',
    },
  },
} as const satisfies Untagged);
