// Reports on checks of an account over a time range in the API (docs/decisions/0130).
import { z } from 'zod';
import { reportPeriods, scheduledPeriods } from '#domain/results/account-report.ts';
import { day, instant, queryInstant, queryList, wholeNumber } from '#lib/schema/fields.ts';
import { timeZoneName } from '../lists.ts';
import { checkTypes } from '../checks/check.ts';
import { delivery } from '../alerts/delivery.ts';
import { tagged, type Untagged } from '../operation.ts';

const words = {
  timeZone:
    'IANA name of the time zone in which days, weeks (from Monday) and months begin, such as Europe/Berlin. Default: that of the account.',
  groupId: 'Only the checks of this group.',
  tags: 'Only checks with all of these tags, their own or those of their group.',
  title: 'Heading in place of the name of the account, such as the name of a customer. At most 100 characters.',
};
const title = z.string().trim().min(1).max(100);
const tag = z.string().min(1).max(200);

/** When a channel receives reports. */
export const reportSchedule = z
  .strictObject({
    every: z.enum(scheduledPeriods),
    timeZone: timeZoneName.exactOptional().describe(words.timeZone),
    groupId: z.int().min(1).nullable().exactOptional().describe(`${words.groupId} null = all checks.`),
    tags: z.array(tag).max(20).exactOptional().describe(words.tags),
    title: title.nullable().exactOptional().describe(words.title),
  })
  .meta({ id: 'ReportScheduleWrite', description: 'When a channel receives reports, and on which checks.' });

const percent = z.number().nullable();
const figures = {
  availability: percent.describe('Percent of the monitored time without failure. null = nothing was monitored.'),
  availabilityBefore: percent.describe('The same of the period before, or of as many days before.'),
  downTime: z.int().describe('Downtime, ms.'),
  unknownTime: z.int().describe('Scheduled time of which nothing is known, ms.'),
  unknownRatio: percent.describe(
    'Percent of the scheduled time of which nothing is known. null = nothing was scheduled.',
  ),
  incidents: z.int().describe('Incidents that were opened in the period. Counted up to 100,000.'),
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
    title: z.string().nullable().describe('As in the query.'),
    groupId: z.int().nullable(),
    groupName: z.string().nullable(),
    tags: z.array(z.string()),
    every: z.enum(reportPeriods).nullable().describe('null = some days.'),
    fromOn: day.nullable().describe('null = a period.'),
    toOn: day.nullable(),
    timeZone: z.string(),
    from: instant,
    to: instant.describe('End of the period, exclusive; now if it is not over.'),
    createdAt: instant,
    checks: z.int().describe('Active checks of the report.'),
    total: z.strictObject(figures).describe('All of them together.'),
    rows: z.array(reportedRow).nullable().describe('Each of them by name. null = more than 100: the CSV has all.'),
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
      .array(z.strictObject({ checkId: z.uuid(), name: z.string(), domain: z.string(), validTo: instant }))
      .describe('The 10 certificates that expire first, within 30 days from now, or have expired.'),
  })
  .meta({ id: 'AccountReport', description: 'A report on active checks over a time range.' });
export type AccountReportBody = z.output<typeof accountReport>;

const range = {
  every: z.enum(reportPeriods).default('week').describe('Quarters begin in January, April, July and October.'),
  at: queryInstant.exactOptional().describe('A time in the period. Absent = the last complete one.'),
  fromOn: day.exactOptional().describe('First day, such as 2026-01-31, instead of `every` and `at`.'),
  toOn: day.exactOptional().describe('Last day, inclusive. With `fromOn`.'),
  timezone: z.string().max(100).exactOptional().describe(words.timeZone),
  title: title.exactOptional().describe(words.title),
};
const query = z.object({
  ...range,
  groupId: wholeNumber(1, 1_000_000_000).exactOptional().describe(words.groupId),
  tag: queryList(tag).exactOptional().describe(`${words.tags} Repeat the parameter.`),
});
export type AccountReportQuery = z.output<typeof query>;
const order = z
  .strictObject({
    alertChannelId: z.int().min(1).describe('A channel of type EMAIL.'),
    ...range,
    groupId: z.int().min(1).exactOptional().describe(words.groupId),
    tags: z.array(tag).max(20).exactOptional().describe(words.tags),
  })
  .meta({ id: 'AccountReportSend', description: 'A report and the channel that it is sent through.' });

export const accountReportOperations = tagged('Analytics', {
  getAccountReport: {
    method: 'GET',
    path: '/v1/account-report',
    summary: 'Get the report on a time range',
    description:
      'On the last complete week by default. A channel with `report` receives the same by email at the end of each week or month.',
    permission: 'read',
    query,
    response: accountReport,
  },
  getAccountReportRows: {
    method: 'GET',
    path: '/v1/account-report/csv',
    summary: 'Download the report on a time range as CSV',
    description:
      'One line per active check, oldest first. Texts that a spreadsheet would read as a formula begin with an apostrophe.',
    permission: 'read',
    query,
    media: 'text/csv',
  },
  sendAccountReport: {
    method: 'POST',
    path: '/v1/account-report/deliveries',
    summary: 'Send the report on a time range by email',
    description:
      'Adds a delivery to the address of the channel, which is retried and logged as alerts are. At most 20 per account and hour.',
    permission: 'write',
    body: order,
    example: { alertChannelId: 2, every: 'month', title: 'Shop' },
    status: 201,
    response: delivery,
  },
} as const satisfies Untagged);
