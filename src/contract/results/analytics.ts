// Analytics and reports in the API (reference §4.7).
import { z } from 'zod';
import { aggregations, metricBases, metricNames } from '#domain/results/analytics.ts';
import { checkSchemas } from '#checks/check-schemas.ts';
import type { CheckType } from '#domain/checks/check.ts';
import { checkTypes } from '../checks/check.ts';
import { instant, pathUuid, queryInstant, queryList, wholeNumber } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';

/** Path segment of each check type. */
export const analyticsPaths: ReadonlyMap<string, CheckType> = new Map(
  checkSchemas.map(({ analyticsPath, type }) => [analyticsPath, type]),
);

const ranges = ['last7Days', 'last30Days', 'thisWeek', 'thisMonth', 'lastWeek', 'lastMonth'] as const;
const quickRange = z.enum(['last24Hours', ...ranges]).default('last24Hours');

const metric = z.enum(
  metricNames,
  `must be availability, retries, or one of ${metricBases.join(', ')} with _ and one of ${aggregations.join(', ')}, as dns_p95`,
);

const from = queryInstant.exactOptional().describe('Overrides `quickRange`. Rounded down to a full hour or interval.');
const to = queryInstant.exactOptional().describe('Overrides `quickRange`. Default: now.');

const analyticsQuery = z.object({
  quickRange,
  from,
  to,
  aggregationInterval: wholeNumber(1, 43_200)
    .exactOptional()
    .describe(
      'Minutes per entry; a multiple of 60 if the range is longer than a day. Absent = one entry for the whole range.',
    ),
  groupBy: z
    .enum(['runLocation', 'statusCode'], 'must be runLocation or statusCode')
    .exactOptional()
    .describe('Return a series for each run location, or for each response status of an API check or URL monitor.'),
  filterByStatus: queryList(z.enum(['success', 'failure']))
    .exactOptional()
    .describe('Results whose response times are included. Default: both.'),
  metrics: queryList(metric)
    .default(['availability', 'responseTime_avg', 'responseTime_p50', 'responseTime_p95', 'responseTime_p99'])
    .describe('Default: availability and the common response times.'),
});

const percent = z.number().nullable();
const figures = {
  runs: z
    .strictObject({ passed: z.int(), degraded: z.int(), failed: z.int(), unknown: z.int(), missed: z.int() })
    .describe('Scheduled runs by outcome.'),
  knownTime: z
    .int()
    .describe('In ms: total interval of the scheduled runs with a verdict. Each location of a parallel run counts.'),
  unknownTime: z.int().describe('In ms: total interval of the scheduled runs that were missed or have no verdict.'),
  unknownRatio: percent.describe('Percentage of both that is unknown. null without scheduled runs.'),
};

const entry = z
  .object({ startsAt: instant, endsAt: instant, ...figures })
  .catchall(z.number().nullable())
  .describe('Each requested metric by name, in ms, percent or as a count. null if there is no data.');

const meaning = z.strictObject({
  unit: z.enum(['milliseconds', 'percent', 'count']),
  label: z.string(),
  aggregation: z.string(),
});

export const checkAnalytics = z
  .strictObject({
    checkId: z.uuid(),
    name: z.string(),
    checkType: z.enum(checkTypes),
    activated: z.boolean(),
    muted: z.boolean().describe('Whether it or its group is muted now, with or without an end.'),
    frequency: z.int().describe('In minutes. 0 = less than a minute; see `frequencyOffset`.'),
    from: instant,
    to: instant.describe('Excluded.'),
    monitoredSince: instant.describe('Start of the range, or the creation of the check if that is later.'),
    tags: z.array(z.string()),
    series: z.array(
      z.strictObject({
        runLocation: z.string().exactOptional().describe('With `groupBy=runLocation`.'),
        statusCode: z
          .string()
          .exactOptional()
          .describe(
            'With `groupBy=statusCode`: the code, `none` if there was no response, or `unknown` for roll-ups without status codes.',
          ),
        data: z.array(entry),
      }),
    ),
    pagination: z.strictObject({ page: z.int(), limit: z.int() }).describe('All entries are on one page.'),
    metadata: z.record(z.string(), meaning),
  })
  .meta({ id: 'CheckAnalytics', description: 'The history of a check.' });
export type CheckAnalyticsBody = z.output<typeof checkAnalytics>;

export const analyticsSummary = z
  .strictObject({
    checkId: z.uuid(),
    checkType: z.enum(checkTypes),
    availability: percent.describe('Percentage of the monitored time without failure. null if nothing was monitored.'),
    unknownRatio: figures.unknownRatio,
    responseTime_avg: z.number().nullable(),
    responseTime_p50: z.number().nullable(),
    responseTime_p95: z.number().nullable(),
    responseTime_p99: z.number().nullable(),
  })
  .meta({ id: 'AnalyticsSummary' });

const reportFigures = {
  successRatio: percent.describe('Percentage of the results with a verdict that did not fail. null if there are none.'),
  avg: z.number().nullable().describe('ms'),
  p95: z.number().nullable().describe('ms'),
  p99: z.number().nullable().describe('ms'),
  availability: analyticsSummary.shape.availability,
  ...figures,
};

export const reportedCheck = z
  .strictObject({
    name: z.string(),
    checkId: z.uuid(),
    checkType: z.enum(checkTypes),
    deactivated: z.boolean(),
    tags: z.array(z.string()),
    aggregate: z.strictObject(reportFigures),
    aggregates: z
      .array(z.strictObject({ from: instant, to: instant, ...reportFigures }))
      .describe('One per period. Empty without `granularity`.'),
  })
  .meta({ id: 'ReportedCheck', description: 'A check in a report.' });
export type ReportedCheckBody = z.output<typeof reportedCheck>;

const reportQuery = z.object({
  quickRange: z.enum(['last24Hrs', ...ranges]).default('last24Hrs'),
  from,
  to,
  filterByTags: queryList(z.string().max(200)).exactOptional().describe('Only checks with all of these tags.'),
  deactivated: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((text) => text === 'true')
    .default(false)
    .meta({ type: 'boolean', description: 'Report the deactivated checks instead of the activated ones.' }),
  granularity: z
    .enum(['day', 'week', 'month'])
    .exactOptional()
    .describe('Also return each of these periods separately.'),
  timezone: z
    .string()
    .max(100)
    .default('UTC')
    .describe('IANA time zone of the days, weeks (from Monday) and months. Periods start at full hours of UTC.'),
});

export const analyticsOperations = tagged('Analytics', {
  getCheckAnalytics: {
    method: 'GET',
    path: '/v1/analytics/{type}/{checkId}',
    ignoredQuery: ['limit', 'page'],
    summary: 'Get the analytics of a check',
    description:
      'Figures are current: they combine hourly and daily roll-ups with the newest results. ' +
      'Percentiles are exact to 1%, those of phases to 4.1% or 0.05 ms. Hourly figures are retained for 90 days, daily figures for 2 years.',
    permission: 'read',
    params: z.object({
      type: z.enum(checkSchemas.map(({ analyticsPath }) => analyticsPath)),
      checkId: pathUuid('ID of the check.'),
    }),
    query: analyticsQuery,
    response: checkAnalytics,
    alsoAnswers: { 404: 'Unknown check.' },
  },
  getAnalyticsOfChecks: {
    method: 'POST',
    path: '/v1/analytics/checks',
    ignoredQuery: ['limit', 'page'],
    summary: 'Get the analytics of several checks',
    description:
      'Results are in the order of the IDs; unknown IDs are omitted. A POST without side effects, because the list can be too long for a URL.',
    permission: 'read',
    query: z.object({ quickRange }),
    // The maximum page size of a list (docs/decisions/0040).
    body: z.strictObject({ checkIds: z.array(z.uuid()).max(100) }),
    example: { checkIds: ['0199f0c4-0000-7000-8000-0000000000ff'] },
    response: z.array(analyticsSummary),
  },
  listAnalyticsMetrics: {
    method: 'GET',
    path: '/v1/analytics/metrics',
    summary: 'List the metrics of a check type',
    permission: 'read',
    query: z.object({ checkType: z.enum(checkTypes) }),
    response: z.array(meaning.extend({ metric })),
  },
  getReport: {
    method: 'GET',
    path: '/v1/reporting',
    summary: 'Report on all checks',
    description: 'The list is not paged.',
    permission: 'read',
    query: reportQuery,
    response: z.array(reportedCheck),
  },
} as const satisfies Untagged);
