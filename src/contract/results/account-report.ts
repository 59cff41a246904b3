// Weekly and monthly reports on an account in the API (docs/decisions/0130).
import { z } from 'zod';
import { instant, queryInstant } from '#lib/schema/fields.ts';
import { timeZoneName } from '../time-zone.ts';
import { checkTypes } from '../checks/check.ts';
import { tagged, type Untagged } from '../operation.ts';

const every = z.enum(['week', 'month']);
const words = {
  timeZone:
    'IANA name of the time zone in which weeks (from Monday) and months begin, such as Europe/Berlin. Default: that of the account.',
};

/** When a channel receives reports. */
export const reportSchedule = z
  .strictObject({
    every,
    timeZone: timeZoneName.exactOptional().describe(words.timeZone),
  })
  .meta({ id: 'ReportScheduleWrite', description: 'When a channel receives reports on the account.' });

const percent = z.number().nullable();
const figures = {
  availability: percent.describe('Percent of the monitored time without failure. null = nothing was monitored.'),
  availabilityBefore: percent.describe('The same of the week or month before.'),
  downTime: z.int().describe('Downtime, ms.'),
  unknownTime: z.int().describe('Scheduled time of which nothing is known, ms.'),
  unknownRatio: percent.describe(
    'Percent of the scheduled time of which nothing is known. null = nothing was scheduled.',
  ),
  incidents: z.int().describe('Incidents that were opened in the period. Counted up to 100,000 per account.'),
};

const time = z.number().nullable().describe('ms; null = no responses.');
const reportedRow = z
  .strictObject({
    checkId: z.uuid(),
    name: z.string(),
    checkType: z.enum(checkTypes),
    tags: z.array(z.string()),
    ...figures,
    successRatio: percent.describe('Percent of the results that did not fail. null = no results.'),
    avg: time,
    p50: time,
    p95: time,
    p99: time,
  })
  .meta({ id: 'AccountReportRow' });

export const accountReport = z
  .strictObject({
    accountName: z.string().nullable(),
    every,
    timeZone: z.string(),
    from: instant,
    to: instant.describe('End of the period, exclusive; now if it is not over.'),
    createdAt: instant,
    checks: z.int().describe('Active checks.'),
    total: z.strictObject(figures).describe('All active checks together.'),
    leastAvailable: z.array(reportedRow).describe('The 10 checks with the lowest availability, below 100%.'),
    slowest: z.array(reportedRow).describe('The 10 checks with the highest 95th percentile of the response time.'),
    leastKnown: z.array(reportedRow).describe('The 10 checks with the most gaps in monitoring.'),
    incidents: z
      .array(
        z.strictObject({
          id: z.uuid(),
          checkId: z.uuid(),
          checkName: z.string(),
          startedAt: instant,
          endedAt: instant.nullable().describe('null = still open.'),
        }),
      )
      .describe('The 10 longest incidents that were opened in the period, or before and are still open.'),
    certificates: z
      .array(z.strictObject({ checkId: z.uuid(), name: z.string(), validTo: instant }))
      .describe('The 10 certificates that expire first, within 30 days from now, or have expired.'),
  })
  .meta({ id: 'AccountReport', description: 'A report on all active checks in a week or month.' });
export type AccountReportBody = z.output<typeof accountReport>;

const query = z.object({
  every: every.default('week'),
  at: queryInstant.exactOptional().describe('A time in the week or month. Absent = the last complete one.'),
  timezone: z.string().max(100).exactOptional().describe(words.timeZone),
});

export const accountReportOperations = tagged('Analytics', {
  getAccountReport: {
    method: 'GET',
    path: '/v1/account-report',
    summary: 'Get the report on a week or month',
    description: 'A channel with `report` receives the same by email at the end of each period.',
    permission: 'read',
    query,
    response: accountReport,
  },
  getAccountReportRows: {
    method: 'GET',
    path: '/v1/account-report/csv',
    summary: 'Download the report on a week or month as CSV',
    description:
      'One line per active check, oldest first. Texts that a spreadsheet would read as a formula begin with an apostrophe.',
    permission: 'read',
    query,
    media: 'text/csv',
  },
} as const satisfies Untagged);
