// The overview of all checks in the API.
import { z } from 'zod';
import { overviewStates } from '#domain/results/overview.ts';
import { outcomes } from '#domain/results/result.ts';
import { checkTypes } from '../checks/check.ts';
import { flag, instant, queryList, wholeNumber } from '#lib/schema/fields.ts';
import { acknowledgement, flappingSince, suppressedBy } from '../alerts/acknowledgement.ts';
import { tagged, type Untagged } from '../operation.ts';

const sorts = ['state', 'name', 'since', 'lastRun', 'responseTime', 'availability', 'flapping'] as const;

const bucket = z.strictObject({
  from: instant,
  passed: z.int(),
  degraded: z.int(),
  failed: z.int(),
  unknown: z.int(),
  missed: z.int(),
});

const percentiles = z.strictObject({ p50: z.number(), p95: z.number() }).nullable();

const availability = z.strictObject({
  ratio: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('Fraction of the monitored time without failure. null = nothing was monitored.'),
  known: z
    .number()
    .min(0)
    .max(1)
    .describe('Fraction of the scheduled time, from the first run of the check, that has a result.'),
});

const row = z
  .strictObject({
    checkId: z.uuid(),
    name: z.string(),
    checkType: z.enum(checkTypes),
    tags: z.array(z.string()).describe('Tags of the check, without those of its group.'),
    groupId: z.int().nullable(),
    groupName: z.string().nullable(),
    url: z.string().nullable().describe('Target of the check. null if its settings name none.'),
    activated: z.boolean().describe('The setting of the check. The check is also paused if its group is deactivated.'),
    muted: z.boolean().describe('Whether the check or its group is muted now.'),
    inMaintenance: z.boolean(),
    silent: z.boolean().describe('Activated and not muted, but no channel receives its failures.'),
    state: z
      .enum(overviewStates)
      .describe(
        'unknown = no result yet, no verdict for more than 3 intervals, or no result for 2 intervals and 15 min; paused = the check or its group is deactivated.',
      ),
    since: instant.nullable().describe('When the state began. null = paused.'),
    incidentId: z.uuid().nullable().describe('The open incident.'),
    ...acknowledgement,
    suppressedBy,
    flappingSince,
    changesLastHour: z
      .int()
      .nullable()
      .describe('Incidents of a flapping check that began or ended in the last hour. null = it does not flap.'),
    frequencySeconds: z.number().describe('Interval between runs; for a heartbeat, its period.'),
    nextRunAt: instant.nullable().describe('null for heartbeats and paused checks.'),
    lastRunAt: instant
      .nullable()
      .describe('When the check last ran; for a heartbeat, when it last received a ping. null = never.'),
    lastResult: z
      .strictObject({
        id: z.uuid(),
        outcome: z.enum(outcomes),
        startedAt: instant,
        responseTimeMs: z.number().nullable(),
        location: z.string(),
        message: z.string().nullable(),
      })
      .nullable(),
    buckets: z
      .array(bucket)
      .describe('Scheduled runs by outcome in the last 24 hours, oldest first, the current hour last.'),
    responseTimes: percentiles.describe('In ms, for the same 24 hours. null without response times.'),
    sparkline: z.array(percentiles).describe('In ms, for each bucket.'),
    availability: z.strictObject({
      day: availability.describe('Last 24 hours.'),
      week: availability.describe('Today and the previous 7 days (UTC).'),
      month: availability.describe('Today and the previous 30 days (UTC).'),
    }),
  })
  .meta({ id: 'OverviewRow' });

const count = z.int();

const counts = z.strictObject({
  total: count,
  failing: count,
  degraded: count,
  passing: count,
  unknown: count,
  paused: count,
  muted: count,
  inMaintenance: count,
  silent: count,
  flapping: count,
});

const section = z
  .strictObject({
    groupId: z.int().nullable(),
    name: z
      .string()
      .nullable()
      .describe('Name of the group, or the tag. null = the checks that are in no other section.'),
    counts: counts.describe('Rows of the section. `total` of them follow each other, possibly on several pages.'),
  })
  .meta({ id: 'OverviewSection' });

export const overview = z
  .strictObject({
    summary: counts.describe('Checks that match all filters except `state`.'),
    deliveries: z
      .strictObject({
        pending: count.describe('Waiting for the first attempt.'),
        retrying: count.describe('Waiting for another attempt.'),
        exhausted24h: count.describe(
          'Created in the last 24 hours and not received: `exhausted`, `refused` or `failed`.',
        ),
      })
      .describe('Up to 5 s old. Each is counted up to 10,000.'),
    statusDrafts: count.describe(
      'Drafts of open incidents of status pages, which wait for somebody to publish them. Counted up to 1,000.',
    ),
    gapsPending: z
      .boolean()
      .describe('Some time before the last start of Tocsin is not evaluated yet, so figures do not contain it.'),
    nextMaintenance: z
      .strictObject({ id: z.int(), name: z.string(), startsAt: instant, endsAt: instant })
      .nullable()
      .describe('The maintenance in progress, or the next one.'),
    total: count.describe('Number of rows on all pages.'),
    page: count,
    limit: count,
    sections: z.array(section).describe('With `groupBy`: the sections on all pages, in order. Otherwise empty.'),
    rows: z.array(row),
  })
  .meta({ id: 'Overview', description: 'One page of the checks of an account.' });
export type OverviewBody = z.output<typeof overview>;

const stateList = z
  .string()
  .transform((text, context) => {
    const named = text.split(',');
    const known = overviewStates.filter((state) => named.includes(state));
    if (named.every((name) => (overviewStates as readonly string[]).includes(name))) return known;
    context.addIssue(`must be a comma-separated list of ${overviewStates.join(', ')}`);
    return z.NEVER;
  })
  .meta({ type: 'string' });

const sort = z
  .enum(
    sorts.flatMap((name) => [name, `-${name}`] as const),
    `must be one of ${sorts.join(', ')}; prefix it with - for descending order`,
  )
  .default('state');

const group = z
  .string()
  .regex(/^(none|[1-9]\d{0,14})$/, 'must be the ID of a group, or none')
  .transform((text) => (text === 'none' ? null : Number(text)))
  .meta({ type: 'string' });

export const overviewQuery = z.object({
  checkId: z.uuid().toLowerCase().exactOptional().describe('Only this check.'),
  search: z.string().max(200).exactOptional().describe('Part of the name, a tag or the URL (case-insensitive).'),
  state: stateList
    .exactOptional()
    .describe(`Only checks in these states: a comma-separated list of ${overviewStates.join(', ')}.`),
  checkType: z.enum(checkTypes).exactOptional(),
  tag: queryList(z.string().max(200))
    .exactOptional()
    .describe(
      'Only checks with all of these tags, their own or those of their group. Repeat the parameter or separate tags by commas.',
    ),
  groupId: group.exactOptional().describe('Only checks of this group. `none` = checks without a group.'),
  muted: flag.exactOptional(),
  silent: flag
    .exactOptional()
    .describe('true = only checks whose failures notify no channel, false = only the others.'),
  flapping: flag.exactOptional().describe('true = only checks that flap now, false = only the others.'),
  sort: sort.describe(
    'Prefix it with `-` for descending order. `state` lists failing checks first, then the latest change first. `responseTime` is that of the last result. `availability` covers the last 24 hours, without the current hour, and is up to 1 minute old. `flapping` is the time since which a check flaps. Checks without a value come last.',
  ),
  groupBy: z
    .enum(['group', 'tag'])
    .exactOptional()
    .describe(
      'Lists the checks in sections, by group or tag in alphabetical order. Checks without one come last. `sort` is the order within a section. By tag, a check has a row for each of its tags and those of its group, and `total` counts rows. Of more than 1,000 tags, only those with the most checks have a section.',
    ),
  limit: wholeNumber(1, 200).default(50).describe('Page size, 1 to 200.'),
  page: wholeNumber(1, 1_000_000).default(1).describe('Page number, starting at 1.'),
});

export const overviewOperations = tagged('Overview', {
  getOverview: {
    method: 'GET',
    path: '/v1/overview',
    summary: 'Get the overview of all checks',
    description: 'States are current. Availability and buckets combine roll-ups with the results of the current hour.',
    permission: 'read',
    query: overviewQuery,
    response: overview,
  },
} as const satisfies Untagged);
