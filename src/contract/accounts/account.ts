// Accounts in the API (spec §2.2, §4.2; decisions: Execution limit).
import { z } from 'zod';
import { accountAlertSettings } from '../alerts/alert-settings.ts';
import { shown } from '#lib/schema/shown.ts';
import { instant, updateOf } from '#lib/schema/fields.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { jsonObject } from '#lib/schema/json.ts';
import { ignoring, readOnlyFields } from '#lib/schema/bodies.ts';
import { merges } from '#lib/schema/patch.ts';
import { timeZoneName } from '../lists.ts';

/** Maximum number of each resource in an account; 0 = unlimited. */
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
      .describe('Total size of the names and values of the account’s variables, as stored.'),
    scriptFileBytes: z
      .int()
      .min(0)
      .exactOptional()
      .describe('Total size of uploaded files of scripts; each counts as at least 4 kB.'),
    clientCertificates: z.int().min(0).exactOptional(),
    privateLocations: z.int().min(0).exactOptional(),
    snippets: z.int().min(0).exactOptional(),
    statusPages: z.int().min(0).exactOptional(),
    statusServices: z.int().min(0).exactOptional(),
    statusIncidents: z.int().min(0).exactOptional(),
    statusSubscribers: z.int().min(0).exactOptional(),
  })
  .meta({ id: 'AccountLimits', description: 'Maximum number of each resource; 0 = unlimited.' });

const zoneWords =
  'IANA name of the time zone of times in emails, chat, SMS messages and calls, and on the pages that they link to. Also the default for reports.';

const factorWords =
  'People can act on the account only if they have set up a second factor. API keys are not affected.';

export const account = z
  .strictObject({
    id: z.string().describe('Account ID.'),
    name: z.string().exactOptional().describe('Name of the account.'),
    runtimeId: z.string().exactOptional().describe('Name of the default runtime.'),
    settings: jsonObject.exactOptional().describe('Account settings. Stored and returned unchanged.'),
    alertSettings: shown(accountAlertSettings).exactOptional().describe('Alert settings of checks that have none.'),
    executionLimit: z
      .int()
      .exactOptional()
      .describe('Maximum number of runs per calendar month (UTC); absent = unlimited.'),
    limits: limits.exactOptional().describe('Limits that differ from `TOCSIN_ACCOUNT_LIMITS`; absent = none.'),
    timeZone: z.string().exactOptional().describe(`${zoneWords} Absent = that of the server.`),
    requiresSecondFactor: z.literal(true).exactOptional().describe(`${factorWords} Absent = not required.`),
  })
  .meta({ id: 'Account', description: 'An account owns checks, groups, channels and their data.' });
export type AccountBody = z.output<typeof account>;

export const accountCreate = z.strictObject({
  name: z.string().trim().min(1).max(200).describe('Name of the account.'),
  runtimeId: z.string().max(100).nullable().default(null).describe('Default runtime. null = the CURRENT one.'),
  settings: jsonObject.nullable().default(null).describe('Any JSON object. Stored and returned unchanged.'),
  alertSettings: accountAlertSettings.nullable().default(null).describe('Alert settings of checks that have none.'),
  executionLimit: z
    .int()
    .min(0)
    .nullable()
    .default(null)
    .describe('Maximum number of runs per calendar month (UTC). null = unlimited.'),
  limits: limits.nullable().default(null).describe('Limits that differ from `TOCSIN_ACCOUNT_LIMITS`. null = none.'),
  timeZone: timeZoneName.nullable().default(null).describe(`${zoneWords} null = that of the server.`),
  requiresSecondFactor: z
    .boolean()
    .default(false)
    .describe(`${factorWords} Only an owner or an operator can change it.`),
});

export const accountUpdate = ignoring(readOnlyFields, updateOf(accountCreate));

export const usage = z
  .strictObject({
    from: instant.describe('Start of the month.'),
    to: instant.describe('End of the month, exclusive.'),
    used: z.int().describe('Runs counted so far.'),
    limit: z.int().exactOptional().describe('Maximum number of runs; absent = unlimited.'),
  })
  .meta({ id: 'Usage', description: 'Usage of an account in the current UTC calendar month.' });
export type UsageBody = z.output<typeof usage>;

const params = z.object({ id: z.string().max(100).describe('Account ID.') });
const usual = usualOperations({
  path: '/v1/accounts',
  params,
  shown: account,
  unknown: 'Unknown account, or the API key has no access to it.',
});

export const accountOperations = tagged('Accounts', {
  listAccounts: {
    method: 'GET',
    path: '/v1/accounts',
    summary: 'List all accounts',
    description:
      'Beta: this operation is in beta and may change without notice.\n\nLists the accounts that the key has access to. The list is not paged.',
    permission: 'read',
    response: z.array(account),
    isBeta: true,
  },
  createAccount: {
    ...usual.create,
    summary: 'Create an account',
    description: 'The key that creates the account gets access to it.',
    permission: 'operate',
    body: accountCreate,
    example: { name: 'Shop', executionLimit: 100_000 },
  },
  getOwnAccount: {
    method: 'GET',
    path: '/v1/accounts/me',
    summary: 'Get the account of the request',
    permission: 'read',
    response: account,
  },
  getAccount: { ...usual.get, summary: 'Get an account' },
  updateAccount: {
    ...usual.update,
    summary: 'Update an account',
    description: `${merges} Only an operator key can change \`executionLimit\` and \`limits\`.`,
    permission: 'admin',
    body: accountUpdate,
    example: { executionLimit: null },
  },
  getUsage: {
    ...usual.get,
    path: '/v1/accounts/{id}/usage',
    summary: 'Get the usage of the current month',
    response: usage,
  },
} as const satisfies Untagged);
