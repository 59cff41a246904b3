// Live updates in the API: server-sent events.
import { z } from 'zod';
import { instant } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';

/** `data` of the `hello` event, the first of a stream. */
export const liveHello = z.strictObject({
  version: z.string(),
  startedAt: instant,
  id: z.uuid().describe('Identifies the server process.'),
});

const checks = z.union([z.array(z.uuid()), z.literal('all')]);

/** `data` of a `change` event. */
export const liveChange = z.strictObject({
  states: checks.describe('Checks whose state changed. `all` = too many to list.'),
  results: checks.describe('Checks with new results.'),
  deliveries: z.boolean(),
  alerts: z.boolean(),
  checks: z.boolean().describe('Checks, groups, channels, variables or maintenance windows were changed.'),
  notices: z.boolean(),
});

export const liveEventOperations = tagged('Overview', {
  streamEvents: {
    method: 'GET',
    path: '/v1/events',
    summary: 'Stream changes as server-sent events',
    description:
      'The first event is `hello` with `{version, startedAt, id}`. `change` events follow, at most one per second and 32 kB: ' +
      '`{states, results, deliveries, alerts, checks, notices}`. `states` and `results` are lists of check ids, or `"all"`; the others are booleans. ' +
      'A change appears within 2 s. A comment is sent every 6 s. ' +
      'After reconnecting, send the ID of the last event in `last-event-id` to receive missed changes as one `change`. ' +
      'Up to 20 streams per API key or session, and 100 per account.',
    permission: 'read',
    headers: { 'last-event-id': 'ID of the last event received.' },
    media: 'text/event-stream',
    alsoAnswers: { 503: 'The server is shutting down.' },
  },
} as const satisfies Untagged);
