// Check statuses and alerts in the API (reference §4.7).
import { z } from 'zod';
import { alertTypes } from '#domain/alerts/alert.ts';
import { acknowledgement, flappingSince, suppressedBy } from '../alerts/acknowledgement.ts';
import { checkTypes } from './check.ts';
import { instant, pathUuid, queryInstant } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';

export const checkStatus = z
  .strictObject({
    name: z.string(),
    checkId: z.uuid(),
    state: z
      .enum(['pending', 'passing', 'degraded', 'failing', 'paused'])
      .describe('pending = no result yet; paused = the check or its group is deactivated.'),
    since: instant
      .nullable()
      .describe('When the state began; for a pending check, when it was created. null = paused.'),
    reason: z.string().nullable().describe('Why the last run did not pass. null = it passed.'),
    nextRunAt: instant.nullable().describe('Time of the next scheduled run. null for heartbeats and paused checks.'),
    hasFailures: z.boolean(),
    hasErrors: z.boolean().describe('The last run has no verdict: it was missed, or Tocsin itself had a problem.'),
    isDegraded: z.boolean(),
    longestRun: z.int().nullable().describe('ms'),
    shortestRun: z.int().nullable().describe('ms'),
    lastRunLocation: z.string().nullable(),
    lastCheckRunId: z.uuid().nullable(),
    sslDaysRemaining: z.int().nullable(),
    incidentId: z.uuid().nullable().describe('The open incident.'),
    ...acknowledgement,
    suppressedBy,
    flappingSince,
    created_at: instant,
    updated_at: instant.nullable(),
  })
  .meta({ id: 'CheckStatus', description: 'The current status of a check.' });
export type CheckStatusBody = z.output<typeof checkStatus>;

export const checkAlert = z
  .strictObject({
    id: z.uuid(),
    name: z.string().describe('Name of the check.'),
    checkId: z.uuid(),
    alertType: z.enum(alertTypes),
    checkType: z.enum(checkTypes),
    runLocation: z.string().nullable(),
    responseTime: z.int().nullable(),
    error: z.string().nullable(),
    statusCode: z.string().nullable(),
    created_at: instant,
    startedAt: instant.nullable(),
    incidentId: z.uuid().nullable().describe('null = a certificate alert, or a suppressed one.'),
    ...acknowledgement,
    suppressedBy,
  })
  .meta({ id: 'CheckAlert', description: 'An event raised by a result.' });
export type CheckAlertBody = z.output<typeof checkAlert>;

const alertQuery = pageQuery.extend({
  from: queryInstant.exactOptional().describe('Default: 6 hours before `to`.'),
  to: queryInstant.exactOptional().describe('Default: now.'),
});

const params = z.object({ checkId: pathUuid('ID of the check.') });
const unknown = { 404: 'Unknown check.' };

export const checkStatusOperations = tagged('Check statuses', {
  listCheckStatuses: {
    method: 'GET',
    path: '/v1/check-statuses',
    summary: 'List the status of every check',
    description: 'The list is not paged.',
    permission: 'read',
    response: z.array(checkStatus),
  },
  getCheckStatus: {
    method: 'GET',
    path: '/v1/check-statuses/{checkId}',
    summary: 'Get the status of a check',
    permission: 'read',
    params,
    response: checkStatus,
    alsoAnswers: unknown,
  },
  listCheckAlerts: {
    method: 'GET',
    path: '/v1/check-alerts',
    summary: 'List the alerts of all checks',
    description: 'Newest first.',
    permission: 'read',
    query: alertQuery,
    response: z.array(checkAlert),
    isPaged: true,
  },
  listAlertsOfCheck: {
    method: 'GET',
    path: '/v1/check-alerts/{checkId}',
    summary: 'List the alerts of a check',
    description: 'Newest first.',
    permission: 'read',
    params,
    query: alertQuery,
    response: z.array(checkAlert),
    isPaged: true,
    alsoAnswers: unknown,
  },
} as const satisfies Untagged);
