// Incidents of checks on the wire.
import { z } from 'zod';
import { incidentKinds } from '#domain/alerts/incident.ts';
import { checkAlert } from '../checks/check-status.ts';
import { checkTypes } from '../checks/check.ts';
import { instant, pathUuid, queryInstant } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';
import { acknowledgement } from './acknowledgement.ts';

const shape = {
  id: z.uuid(),
  checkId: z.uuid(),
  name: z.string().describe('Name of the check.'),
  checkType: z.enum(checkTypes),
  kind: z.enum(incidentKinds).describe('The worst state that was alerted.'),
  startedAt: instant.describe('When the state began: the start of the first run that found it.'),
  openedAt: instant.describe('When the first alert was raised.'),
  endedAt: instant.nullable().describe('null = open.'),
  endedBy: z.enum(['recovery', 'deletion']).nullable(),
  ...acknowledgement,
  firstAlertId: z.uuid(),
  checkResultId: z.uuid().describe('The result that opened it.'),
  error: z
    .string()
    .nullable()
    .describe('Why that result failed or was degraded. null if the first alert is no longer stored.'),
};

export const incident = z
  .strictObject(shape)
  .meta({ id: 'Incident', description: 'A check from its first alert to its recovery or deletion.' });
export type IncidentBody = z.output<typeof incident>;

const incidentWithAlerts = z
  .strictObject({ ...shape, alerts: z.array(checkAlert).describe('Newest first, at most 100.') })
  .meta({ id: 'IncidentWithAlerts' });

const alertParams = z.object({ alertId: pathUuid('Id of an alert of the incident.') });
const alsoAnswers = {
  404: 'Unknown alert.',
  409: 'The incident is over, or the alert is about a certificate.',
};

const page = {
  path: '/acknowledge/{link}',
  permission: 'none',
  params: z.object({ link: z.string().max(1000).describe('The last part of an ACK_LINK.') }),
  media: 'text/html',
  alsoAnswers: {
    404: 'The link is invalid or expired, or the incident is no longer stored.',
    429: 'More than 60 requests per minute from one address.',
  },
} as const;

export const incidentOperations = tagged('Incidents', {
  listIncidents: {
    method: 'GET',
    path: '/v1/check-incidents',
    summary: 'List the incidents of all checks',
    description: 'Newest first. Certificate alerts belong to no incident.',
    permission: 'read',
    query: pageQuery.extend({
      checkId: pathUuid('Only incidents of this check.').exactOptional(),
      state: z.enum(['open', 'ended']).exactOptional(),
      from: queryInstant.exactOptional().describe('Only incidents opened at or after this time.'),
      to: queryInstant.exactOptional().describe('Only incidents opened at or before this time.'),
    }),
    response: z.array(incident),
    isPaged: true,
  },
  getIncident: {
    method: 'GET',
    path: '/v1/check-incidents/{id}',
    summary: 'Get an incident with its alerts',
    permission: 'read',
    params: z.object({ id: pathUuid('Id of the incident.') }),
    response: incidentWithAlerts,
    alsoAnswers: { 404: 'Unknown incident.' },
  },
  acknowledgeAlert: {
    method: 'POST',
    path: '/v1/check-alerts/{alertId}/acknowledge',
    summary: 'Acknowledge the incident of an alert',
    description:
      'Stops reminders until the state of the check changes, and cancels pending ones. The recovery is always sent. Later acknowledgements do not replace the first one.',
    permission: 'write',
    params: alertParams,
    response: incident,
    alsoAnswers,
  },
  unacknowledgeAlert: {
    method: 'DELETE',
    path: '/v1/check-alerts/{alertId}/acknowledge',
    summary: 'Remove an acknowledgement',
    permission: 'write',
    params: alertParams,
    status: 204,
    alsoAnswers,
  },
  showIncident: {
    ...page,
    method: 'GET',
    summary: 'Show an incident as a page with a button to acknowledge it',
    description: 'The ACK_LINK of an alert. Opening it changes nothing. Valid for 30 days, without a key.',
  },
  acknowledgeLinkedIncident: {
    ...page,
    method: 'POST',
    summary: 'Acknowledge the incident of an ACK_LINK',
    description: 'The button of its page. Shows the page again.',
  },
} as const satisfies Untagged);
