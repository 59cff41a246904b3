// The account and its caller as the `checkly` command line reads them.
import { z } from 'zod';
import { tagged, type Untagged } from '../operation.ts';

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
