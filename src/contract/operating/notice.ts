// Notices in the API: conditions that need attention (decisions: Resources of our own).
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';

export const notice = z
  .strictObject({
    id: z.string().describe('Stays the same while the condition lasts.'),
    kind: z.string().describe('Machine-readable type of the condition.'),
    subject: z.string().describe('The affected object.'),
    message: z.string(),
    action: z.string().describe('How to fix it.'),
    since: instant,
  })
  .meta({ id: 'Notice', description: 'A condition that needs attention.' });

export const noticeOperations = tagged('Notices', {
  listNotices: {
    method: 'GET',
    path: '/v1/notices',
    summary: 'List notices',
    description:
      'Failing and invalid channels, held deliveries, checks that notify no channel, undefined variables, runtimes in use that reach or passed their end of life, missing browsers, locations without a runner, downtime and gaps, and stalled account moves. The list is not paged.',
    permission: 'read',
    response: z.array(notice),
  },
} as const satisfies Untagged);
