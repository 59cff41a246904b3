// Members of an account and invitations in the API.
import { z } from 'zod';
import { instant, pathUuid } from '#lib/schema/fields.ts';
import { memberRoles } from '#domain/accounts/api-key.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';
import { code, email, me, oneTimeToken, password, tooMany } from './session.ts';

const role = z.enum(memberRoles).describe('`owner` has the rights of `admin` and can also manage owners.');

export const person = z
  .strictObject({
    id: z.uuid(),
    email: z.string(),
    role,
    isMapped: z
      .boolean()
      .describe('Whether the claims of the identity provider gave the role. An update makes it false.'),
    createdAt: instant.describe('When the person joined the account.'),
    lastSignInAt: instant.nullable(),
  })
  .meta({ id: 'Person', description: 'A member of an account.' });
export type PersonBody = z.output<typeof person>;

const inviteShape = {
  id: z.uuid(),
  email: z.string(),
  role,
  createdAt: instant,
  expiresAt: instant,
};
export const invite = z
  .strictObject(inviteShape)
  .meta({ id: 'Invite', description: 'An open invitation, without its link.' });
export type InviteBody = z.output<typeof invite>;

const inviteCreated = z
  .strictObject({
    ...inviteShape,
    url: z.string().nullable().describe('The one-time link, which is not shown again. null = it was sent by email.'),
  })
  .meta({ id: 'InviteCreated' });

const shownInvite = z
  .strictObject({
    email: z.string(),
    accountName: z.string(),
    role,
  })
  .meta({ id: 'ShownInvite', description: 'An invitation as shown to the invited person.' });

const params = z.object({ id: pathUuid('ID of the person.') });
const inviteParams = z.object({ id: pathUuid('ID of the invitation.') });
const unknown = { 404: 'Not a member of the account.' };
const usual = usualOperations({ path: '/v1/users', params, shown: person, unknown: unknown[404] });
const lastOwner = { 409: 'The person is the last owner of the account.' };
const brokenInvite = { 404: 'The invitation was used or withdrawn, or it has expired.' };

export const personOperations = tagged('People', {
  listUsers: {
    ...usual.list,
    summary: 'List the members of the account',
    permission: 'admin',
  },
  updateUser: {
    ...usual.update,
    summary: 'Update the role of a member',
    description: 'Only an owner or an operator can make a person an owner or change the role of an owner.',
    permission: 'admin',
    body: z.strictObject({ role }),
    example: { role: 'read-only' },
    alsoAnswers: { ...unknown, ...lastOwner },
  },
  deleteUser: {
    ...usual.remove,
    summary: 'Remove a member from the account',
    description:
      'Takes effect immediately. A person who is in no other account is deleted. API keys that the person created keep working.',
    permission: 'admin',
    alsoAnswers: { ...unknown, ...lastOwner },
  },
  listInvites: {
    method: 'GET',
    path: '/v1/invites',
    summary: 'List open invitations',
    permission: 'admin',
    query: pageQuery,
    response: z.array(invite),
    isPaged: true,
  },
  createInvite: {
    method: 'POST',
    path: '/v1/invites',
    summary: 'Invite a person to the account',
    description:
      'Creates a link that works once, for 7 days. If email is set up, Tocsin sends it to the address. Otherwise, or if the mail server does not accept it, the response contains it: send it to the person yourself. A new invitation replaces an earlier one for the same email address.',
    permission: 'admin',
    body: z.strictObject({ email, role }),
    example: { email: 'ada@example.com', role: 'read-write' },
    status: 201,
    response: inviteCreated,
    alsoAnswers: {
      409: 'The person is already a member, or the account has 1000 open invitations.',
      429: 'The account sent 60 invitations in the last hour, or 5 to this address.',
    },
  },
  deleteInvite: {
    method: 'DELETE',
    path: '/v1/invites/{id}',
    summary: 'Revoke an invitation',
    permission: 'admin',
    params: inviteParams,
    status: 204,
    alsoAnswers: { 404: 'Unknown invitation.' },
  },
  readInvite: {
    method: 'POST',
    path: '/v1/invites/read',
    summary: 'Get an invitation by its token',
    permission: 'none',
    body: z.strictObject({ token: oneTimeToken }),
    response: shownInvite,
    alsoAnswers: { ...brokenInvite, ...tooMany },
  },
  acceptInvite: {
    method: 'POST',
    path: '/v1/invites/accept',
    summary: 'Accept an invitation and sign in',
    description:
      'Send the password that the person signs in with, or a new one. If no user with the email address of the invitation has the password, a user is created.',
    permission: 'none',
    body: z.strictObject({ token: oneTimeToken, password, code }),
    status: 201,
    response: me,
    alsoAnswers: {
      ...brokenInvite,
      ...tooMany,
      401: 'The link was sent by email, the person has a user, and the password is wrong; or the code of a person with a second factor is missing or wrong.',
    },
  },
} as const satisfies Untagged);
