// The ledger in the API: whether every run, alert and delivery is accounted for (docs/decisions/0149).
import { z } from 'zod';
import { instant, queryInstant } from '#lib/schema/fields.ts';
import { checkTypes } from '../checks/check.ts';
import { tagged, type Untagged } from '../operation.ts';

const count = z.int();
const difference = count.describe('How many more were counted than found; 0 = the sum adds up.');
const expired = count.describe('Older than the retention, and therefore deleted.');

const runs = z
  .strictObject({
    scheduled: count.describe('Counted by the scheduler: slots, and evaluated pings of heartbeats.'),
    onDemand: count.describe('Triggered, or started by saving a check.'),
    passed: count,
    degraded: count,
    failed: count,
    unknown: count,
    missed: count,
    running: count,
    waiting: count,
    difference,
  })
  .meta({ id: 'LedgerRuns', description: 'scheduled + onDemand = all others.' });

const alerts = z
  .strictObject({
    due: count.describe('Counted when they were added or muted.'),
    notified: count.describe('With at least one delivery.'),
    suppressed: count.describe('Suppressed by a failing dependency.'),
    muted: count.describe('Not raised because of a mute or maintenance; once per failure.'),
    unsubscribed: count.describe(
      'No channel was notified: none is subscribed that receives their type, or those that wait (`escalationMinutes`) were not notified.',
    ),
    expired,
    difference,
  })
  .meta({ id: 'LedgerAlerts', description: 'due = all others.' });

const deliveries = z
  .strictObject({
    added: count.describe('Counted when they were added, tests, replays, digests and reports included.'),
    delivered: count,
    pending: count,
    exhausted: count,
    refused: count,
    failed: count,
    cancelled: count,
    collecting: count,
    digested: count,
    superseded: count,
    expired,
    difference,
  })
  .meta({ id: 'LedgerDeliveries', description: 'added = all others.' });

const query = z.object({
  period: z.enum(['day', 'month']).default('day'),
  at: queryInstant.exactOptional().describe('A time in the day or month, in the last 64 days. Default: now.'),
});

export const ledger = z
  .strictObject({
    period: query.shape.period.unwrap(),
    timeZone: z.string().describe('Time zone of the account, in which days and months begin.'),
    from: instant,
    to: instant.describe('Exclusive; in the future if the period is not over.'),
    storedFrom: instant.describe('Alerts and deliveries before are counted as `expired`.'),
    createdAt: instant,
    runs,
    unstored: count.describe(
      'Outcomes whose results are no longer stored, normally those of deleted checks. Negative = more are stored than were recorded.',
    ),
    alerts,
    deliveries,
    checks: z
      .array(
        z.strictObject({
          checkId: z.uuid(),
          name: z.string(),
          checkType: z.enum(checkTypes),
          degraded: count,
          failed: count,
          unknown: count,
          missed: count,
        }),
      )
      .describe('The 50 checks with the most runs that did not pass.'),
    otherChecks: count.describe('Number of other checks with such runs.'),
  })
  .meta({ id: 'Ledger', description: 'Whether every run, alert and delivery of a day or month is accounted for.' });
export type LedgerBody = z.output<typeof ledger>;

export const systemLedger = z
  .strictObject({
    period: query.shape.period.unwrap(),
    createdAt: instant,
    accounts: count,
    runs,
    alerts,
    deliveries,
    unbalanced: z
      .array(
        z.strictObject({
          accountId: z.uuid(),
          name: z.string().nullable(),
          runs: count,
          alerts: count,
          deliveries: count,
        }),
      )
      .describe('The differences of up to 50 accounts that do not add up.'),
  })
  .meta({ id: 'SystemLedger', description: 'The ledgers of all accounts together, each of its own day or month.' });
export type SystemLedgerBody = z.output<typeof systemLedger>;

export const ledgerOperations = tagged('Analytics', {
  getLedger: {
    method: 'GET',
    path: '/v1/ledger',
    summary: 'Get the ledger of a day or month',
    description:
      'The counts on the left sides are stored when something is due or added; the others are outcomes and what is stored now. One ledger of an account and two per process are read at a time; others wait.',
    permission: 'read',
    query,
    response: ledger,
  },
  getSystemLedger: {
    method: 'GET',
    path: '/v1/system-ledger',
    summary: 'Get the ledger of the installation',
    permission: 'operate',
    query,
    response: systemLedger,
  },
} as const satisfies Untagged);
