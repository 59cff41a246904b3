// Members and invitations as the `checkly` command line reads them.
import { z } from 'zod';
import { memberRoles } from '#domain/accounts/api-key.ts';
import { instant, pathUuid, wholeNumber } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';

/** `read-only` is `READ_ONLY` there. */
const cliRoles = memberRoles.map((role) => role.toUpperCase().replace('-', '_')) as [string, ...string[]];
const role = z.enum(cliRoles);

const shared = { accountId: z.string(), email: z.string(), role, createdAt: instant, updatedAt: instant };
const member = z.strictObject({
  type: z.literal('member'),
  userId: z.uuid(),
  name: z.null(),
  status: z.literal('ACTIVE'),
  ...shared,
});
const invite = z.strictObject({
  type: z.literal('invite'),
  id: z.uuid(),
  status: z.literal('PENDING'),
  expiresAt: instant,
  ...shared,
});
export type CliMemberBody = z.output<typeof member>;
export type CliInviteBody = z.output<typeof invite>;

const params = z.object({ id: pathUuid('ID of the person.') });

export const cliMemberOperations = tagged('People', {
  listCliMembers: {
    method: 'GET',
    path: '/v1/accounts/me/members',
    summary: 'List members and open invitations',
    permission: 'admin',
    query: z.object({
      search: z.string().max(500).default(''),
      type: z.enum(['member', 'invite']).exactOptional(),
      role: role.exactOptional(),
      status: z.enum(['ACTIVE', 'PENDING', 'EXPIRED']).exactOptional(),
      limit: wholeNumber(1, 100).exactOptional(),
      nextId: wholeNumber(0, 1_000_000).default(0),
    }),
    response: z.strictObject({
      members: z.array(z.union([member, invite])),
      length: z.int(),
      nextId: z.string().nullable(),
    }),
    isPrivate: true,
  },
  updateCliMember: {
    method: 'PUT',
    path: '/v1/accounts/me/members/{id}',
    summary: 'Update the role of a member',
    permission: 'admin',
    params,
    body: z.strictObject({ role }),
    example: { role: 'READ_ONLY' },
    response: member,
    isPrivate: true,
  },
  deleteCliMember: {
    method: 'DELETE',
    path: '/v1/accounts/me/members/{id}',
    summary: 'Remove a member from the account',
    permission: 'admin',
    params,
    status: 204,
    isPrivate: true,
  },
} as const satisfies Untagged);
