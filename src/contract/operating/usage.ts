// What an account uses of its limits, in the API.
import { z } from 'zod';
import { usageNames } from '#domain/accounts/account.ts';
import { tagged, type Untagged } from '../operation.ts';

export const usageEntry = z
  .strictObject({
    name: z
      .enum(usageNames)
      .describe(
        '`runsOfMonth`: of the UTC month. `runsOfHour`: of the last full hour, without missed ones. `emailsOfHour`, `telephoneOfHour`: attempts in this hour.',
      ),
    used: z.int(),
    limit: z.int().nullable().describe('null = unlimited.'),
  })
  .meta({ id: 'UsageEntry', description: 'What an account uses of a limit.' });

export const usageOperations = tagged('Accounts', {
  listUsage: {
    method: 'GET',
    path: '/v1/usage',
    summary: 'List what the account uses of its limits',
    description: 'The list is not paged. Limits of requests and connections are not part of it.',
    permission: 'read',
    response: z.array(usageEntry),
  },
} as const satisfies Untagged);
