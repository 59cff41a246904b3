// The account, its caller, members and variables as the `checkly` command line reads them.
import { z } from 'zod';
import { tagged, type Untagged } from '../operation.ts';
import { wholeNumber, instant, pathUuid } from '#lib/schema/fields.ts';
import { variableOperations } from '../accounts/variable.ts';
import { pageQuery } from '../paging.ts';
import { memberRoles } from '#domain/accounts/api-key.ts';

const cliAccount = z.strictObject({
  id: z.string(),
  name: z.string(),
  runtimeId: z.string().describe('Runtime of checks that name none. Empty = no runtime is CURRENT.'),
  features: z.array(z.string()),
});
export type CliAccountBody = z.output<typeof cliAccount>;

const cliUser = z.strictObject({ id: z.string(), name: z.string(), email: z.string() });
export type CliUserBody = z.output<typeof cliUser>;

const plan = z.strictObject({
  plan: z.string(),
  planDisplayName: z.string(),
  addons: z.strictObject({}),
  locations: z.strictObject({
    all: z.array(z.strictObject({ id: z.string(), name: z.string(), available: z.boolean() })),
    maxPerCheck: z.int(),
  }),
  entitlements: z.array(
    z.strictObject({
      key: z.string(),
      name: z.string(),
      description: z.string(),
      type: z.literal('metered'),
      enabled: z.literal(true),
      quantity: z.int().exactOptional().describe('The limit. Absent = unlimited.'),
    }),
  ),
});
export type CliPlanBody = z.output<typeof plan>;

export const cliAccountOperations = tagged('Accounts', {
  listCliAccounts: {
    method: 'GET',
    path: '/next/accounts',
    summary: 'List the accounts of the caller',
    permission: 'read',
    response: z.array(cliAccount),
    isPrivate: true,
  },
  getCliAccount: {
    method: 'GET',
    path: '/next/accounts/{id}',
    summary: 'Get an account',
    permission: 'read',
    params: z.object({ id: z.string().max(100) }),
    response: cliAccount,
    isPrivate: true,
  },
  getCliUser: {
    method: 'GET',
    path: '/next/users/me',
    summary: 'Get the caller',
    permission: 'any',
    response: cliUser,
    isPrivate: true,
  },
  getCliPlan: {
    method: 'GET',
    path: '/v1/accounts/me/entitlements',
    summary: 'Get the limits of the account',
    permission: 'read',
    response: plan,
    isPrivate: true,
  },
} as const satisfies Untagged);

/** As many as an account usually has at most. */
const most = 1000;

export const cliVariableOperations = tagged('Environment variables', {
  listCliVariables: {
    ...variableOperations.listVariables,
    query: pageQuery.extend({ limit: wholeNumber(1, most).default(most) }),
    isPrivate: true,
    isCliVariant: true,
  },
} as const satisfies Untagged);

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
