// Accounts on the wire (spec §2.2, §4.2; decisions: Execution limit).
import { z } from 'zod';
import { alertSettings, alertSettingsShown } from '../alerts/alert-settings.ts';
import { instant, updateOf } from '#lib/schema/fields.ts';
import type { Operations } from '../operation.ts';
import { jsonObject } from '#lib/schema/json.ts';
import { ignoring, readOnlyFields } from '#lib/schema/bodies.ts';
import { merges } from '#lib/schema/patch.ts';

/** How many of each resource an account may have; 0 = no limit. */
const limits = z
  .strictObject({
    checks: z.int().min(0).exactOptional(),
    checkGroups: z.int().min(0).exactOptional(),
    alertChannels: z.int().min(0).exactOptional(),
    maintenanceWindows: z.int().min(0).exactOptional(),
    apiKeys: z.int().min(0).exactOptional(),
    variables: z.int().min(0).exactOptional(),
    variableBytes: z
      .int()
      .min(0)
      .exactOptional()
      .describe('Names and values of the account’s variables together, as stored.'),
    clientCertificates: z.int().min(0).exactOptional(),
  })
  .meta({ id: 'AccountLimits', description: 'How many of each the account may have; 0 = no limit.' });

export const account = z
  .strictObject({
    id: z.string().describe('Account ID.'),
    name: z.string().exactOptional().describe('Name of the account.'),
    runtimeId: z.string().exactOptional().describe('Name of the default runtime of its checks.'),
    settings: jsonObject.exactOptional().describe('Account settings. Stored and returned unchanged.'),
    alertSettings: alertSettingsShown.exactOptional().describe('Alert settings of checks that have none of their own.'),
    executionLimit: z.int().exactOptional().describe('Runs allowed in a UTC calendar month; absent = no limit.'),
    limits: limits.exactOptional().describe('Where they differ from `TOCSIN_ACCOUNT_LIMITS`; absent = nowhere.'),
  })
  .meta({ id: 'Account', description: 'An account owns checks, groups, channels and their data.' });
export type AccountBody = z.output<typeof account>;

export const accountCreate = z.strictObject({
  name: z.string().trim().min(1).max(200).describe('Name of the account.'),
  runtimeId: z.string().max(100).nullable().default(null).describe('Default runtime; null = the CURRENT one.'),
  settings: jsonObject.nullable().default(null).describe('Anything you want to keep with the account.'),
  alertSettings: alertSettings
    .nullable()
    .default(null)
    .describe('Alert settings of checks that have none of their own.'),
  executionLimit: z
    .int()
    .min(0)
    .nullable()
    .default(null)
    .describe('Runs allowed in a UTC calendar month; null = no limit.'),
  limits: limits
    .nullable()
    .default(null)
    .describe('How many of each it may have, where that differs from `TOCSIN_ACCOUNT_LIMITS`; null = nowhere.'),
});

export const accountUpdate = ignoring(readOnlyFields, updateOf(accountCreate));

export const usage = z
  .strictObject({
    from: instant.describe('Start of the month.'),
    to: instant.describe('End of the month, exclusive.'),
    used: z.int().describe('Runs counted so far.'),
    limit: z.int().exactOptional().describe('Runs allowed; absent = no limit.'),
  })
  .meta({ id: 'Usage', description: 'Usage of an account in the current UTC calendar month.' });
export type UsageBody = z.output<typeof usage>;

const params = z.object({ id: z.string().max(100).describe('Account ID.') });
const unknown = { 404: 'Unknown account, or the API key has no access to it.' };

export const accountOperations = {
  listAccounts: {
    method: 'GET',
    path: '/v1/accounts',
    summary: 'List all accounts',
    description:
      'Beta: this operation is in beta and may change without notice.\n\nAll accounts that the key reaches. The list is not paged.',
    tag: 'Accounts',
    permission: 'read',
    status: 200,
    response: z.array(account),
    isBeta: true,
  },
  createAccount: {
    method: 'POST',
    path: '/v1/accounts',
    summary: 'Create an account',
    description: 'The key that creates an account reaches it from then on.',
    tag: 'Accounts',
    permission: 'operate',
    body: accountCreate,
    example: { name: 'Shop', executionLimit: 100_000 },
    status: 201,
    response: account,
  },
  getOwnAccount: {
    method: 'GET',
    path: '/v1/accounts/me',
    summary: 'Read the account that the request acts on',
    tag: 'Accounts',
    permission: 'read',
    status: 200,
    response: account,
  },
  getAccount: {
    method: 'GET',
    path: '/v1/accounts/{id}',
    summary: 'Read an account',
    tag: 'Accounts',
    permission: 'read',
    params,
    status: 200,
    response: account,
    alsoAnswers: unknown,
  },
  updateAccount: {
    method: 'PUT',
    path: '/v1/accounts/{id}',
    summary: 'Change an account',
    description: `${merges} Only an operator key can change \`executionLimit\` and \`limits\`.`,
    tag: 'Accounts',
    permission: 'admin',
    params,
    body: accountUpdate,
    example: { executionLimit: null },
    status: 200,
    response: account,
    alsoAnswers: unknown,
  },
  getUsage: {
    method: 'GET',
    path: '/v1/accounts/{id}/usage',
    summary: 'Read what an account has used this month',
    tag: 'Accounts',
    permission: 'read',
    params,
    status: 200,
    response: usage,
    alsoAnswers: unknown,
  },
} as const satisfies Operations;
