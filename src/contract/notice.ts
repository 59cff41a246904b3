// Notices on the wire: what the operator should know (decisions: Resources of our own).
import { z } from 'zod';
import { instant } from './fields.ts';
import type { Operations } from './operation.ts';

export const notice = z
  .strictObject({
    id: z.string().describe('The same as long as it is about the same thing.'),
    kind: z.string().describe('What sort of thing it is, for programs.'),
    subject: z.string().describe('What it is about.'),
    message: z.string(),
    action: z.string().describe('What to do.'),
    since: instant,
  })
  .meta({ id: 'Notice', description: 'Something the operator should know.' });

export const noticeOperations = {
  listNotices: {
    method: 'GET',
    path: '/v1/notices',
    summary: 'List what you should know',
    description:
      'Dead channels, runtimes near their end, or after it, that checks of the account use, a missing browser, times in which nothing ran, gaps of our own, moves of accounts that stand still. The list is not paged.',
    tag: 'Notices',
    permission: 'read',
    status: 200,
    response: z.array(notice),
  },
} as const satisfies Operations;
