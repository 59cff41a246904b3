// Incidents of status pages in the API (reference §4.7).
import { z } from 'zod';
import { changeStatuses } from '#domain/status-pages/page-changes.ts';
import { mostServicesOfIncident, updateStatuses } from '#domain/status-pages/status-incident.ts';
import { incidentSeverities } from '#domain/status-pages/status-service.ts';
import { bodyInstant, flag, instant, pathUuid, updateOf } from '#lib/schema/fields.ts';
import { ignoring, readOnlyFields } from '#lib/schema/bodies.ts';
import { checkParams } from '../checks/check.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { cursorPage, cursorQuery } from '../paging.ts';
import { namedService, serviceList } from './status-service.ts';

const text = (longest: number) => z.string().trim().min(1).max(longest);
const words = {
  description: 'Markdown, without HTML.',
  publicAt: 'When visitors see it. Later than now = a scheduled update. Default: now.',
  notifies:
    'Whether subscribers and channels of pages are notified, a minute after it appeared. Updates of that minute are one message.',
  notified:
    'Progress of the notifications, on all pages together. `WITHDRAWN`: the update was no longer public when they were due. null = no notifications. Omitted in lists of incidents.',
  services: 'Pages that show one of them show the incident. Without services, all pages do.',
  isDraft: 'true = only the account sees it.',
  startedAt: 'When it began. A start more than 5 minutes in the past marks it as entered later.',
};

export const incidentUpdateCreate = z.strictObject({
  description: text(10_000).describe(words.description),
  status: z.enum(updateStatuses),
  notifySubscribers: z.boolean().default(true).describe(words.notifies),
  publicIncidentUpdateDate: bodyInstant.nullable().default(null).describe(words.publicAt),
});
export type IncidentUpdateCreate = z.output<typeof incidentUpdateCreate>;

const statusIncidentCreate = z.strictObject({
  name: text(200),
  severity: z.enum(incidentSeverities).default('MAJOR'),
  services: serviceList(mostServicesOfIncident).default([]).describe(words.services),
  isDraft: z.boolean().default(false).describe(words.isDraft),
  startedAt: bodyInstant.nullable().default(null).describe(words.startedAt),
  postmortem: text(50_000).nullable().default(null).describe(words.description),
  incidentUpdates: z.array(ignoring(readOnlyFields, incidentUpdateCreate)).min(1).max(50),
});
export type StatusIncidentCreate = z.output<typeof statusIncidentCreate>;

const { incidentUpdates: _updates, ...changeable } = statusIncidentCreate.shape;
const statusIncidentChange = z.strictObject(changeable);

export const incidentUpdate = z
  .strictObject({
    id: z.uuid(),
    description: z.string(),
    status: z.enum(updateStatuses),
    notifySubscribers: z.boolean(),
    publicIncidentUpdateDate: instant,
    isScheduled: z.boolean(),
    notified: z
      .strictObject({
        status: z.enum(changeStatuses),
        dueAt: instant.describe('When sending begins.'),
        notified: z.int().describe('Subscribers whose email is queued.'),
        subscribers: z.int().describe('Subscribers when sending began.'),
      })
      .nullable()
      .exactOptional()
      .describe(words.notified),
    created_at: instant,
  })
  .meta({ id: 'StatusIncidentUpdate' });
export type IncidentUpdateBody = z.output<typeof incidentUpdate>;

export const statusIncident = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    severity: z.enum(incidentSeverities),
    lastUpdateStatus: z.enum(updateStatuses),
    services: z.array(namedService),
    isDraft: z.boolean().describe(words.isDraft),
    publishAt: instant.nullable().describe('When the draft is published by itself; null = never.'),
    isBackdated: z.boolean(),
    startedAt: instant,
    resolvedAt: instant.nullable().describe('null = open.'),
    publishedAt: instant.nullable(),
    isProposed: z.boolean().describe('Whether the failure of a service or check opened it.'),
    postmortem: z.string().nullable(),
    incidentUpdates: z.array(incidentUpdate).describe('Oldest first.'),
    created_at: instant,
    updated_at: instant.nullable(),
  })
  .meta({ id: 'StatusIncident', description: 'An incident that status pages show.' });
export type StatusIncidentBody = z.output<typeof statusIncident>;

const readOnly = [
  ...readOnlyFields,
  'lastUpdateStatus',
  'publishAt',
  'isBackdated',
  'resolvedAt',
  'publishedAt',
  'isProposed',
];
const params = z.object({ id: pathUuid('ID of the incident.') });
const updateParams = params.extend({ updateId: pathUuid('ID of the update.') });
const unknown = { 404: 'Unknown incident.' };
const usual = usualOperations({
  path: '/v1/status-pages/incidents',
  params,
  shown: statusIncident,
  unknown: unknown[404],
});
const unknownUpdate = { 404: 'Unknown incident or update.' };
const readOnlyUpdate = [...readOnlyFields, 'isScheduled', 'notified'];
const ofUpdates = usualOperations({
  path: '/v1/status-pages/incidents/{id}/incident-updates',
  params: updateParams,
  shown: incidentUpdate,
  unknown: unknownUpdate[404],
});

export const statusIncidentOperations = tagged('Status pages', {
  listStatusIncidents: {
    method: 'GET',
    path: '/v1/status-pages/incidents',
    summary: 'List the incidents of status pages',
    description: 'Newest first, drafts included.',
    permission: 'read',
    query: cursorQuery.extend({
      isDraft: flag.exactOptional().describe('Only drafts, or only published ones.'),
      isOpen: flag.exactOptional().describe('Only open ones, or only resolved ones.'),
    }),
    response: cursorPage(statusIncident),
  },
  listStatusIncidentsOfCheck: {
    method: 'GET',
    path: '/v1/checks/{id}/status-incidents',
    summary: 'List the open incidents of status pages that concern a check',
    description:
      'Those of services whose state the check tells, or whose incident it opens, drafts included. Newest first, of the newest 100 open ones.',
    permission: 'read',
    params: checkParams,
    response: z.array(statusIncident),
    alsoAnswers: { 404: 'Unknown check.' },
  },
  createStatusIncident: {
    ...usual.create,
    summary: 'Create an incident',
    description: 'Appears on every page that shows one of its services.',
    body: ignoring(readOnly, statusIncidentCreate),
    example: {
      name: 'Payments fail',
      severity: 'MAJOR',
      services: [],
      incidentUpdates: [{ status: 'INVESTIGATING', description: 'We are looking into it.' }],
    },
  },
  getStatusIncident: { ...usual.get, summary: 'Get an incident' },
  updateStatusIncident: {
    ...usual.update,
    summary: 'Update an incident',
    description: 'Omitted fields are kept. `isDraft: false` publishes it. Updates have operations of their own.',
    body: ignoring([...readOnly, 'incidentUpdates'], updateOf(statusIncidentChange)),
    example: { severity: 'MINOR' },
  },
  deleteStatusIncident: {
    ...usual.remove,
    summary: 'Delete an incident',
    description: 'Removes it from all pages and their history.',
  },
  listIncidentUpdates: {
    ...usual.get,
    path: ofUpdates.list.path,
    summary: 'List the updates of an incident',
    description: 'Oldest first. The list is not paged.',
    response: z.array(incidentUpdate),
  },
  createIncidentUpdate: {
    ...usual.update,
    method: 'POST',
    path: ofUpdates.list.path,
    summary: 'Add an update to an incident',
    body: ignoring(readOnlyUpdate, incidentUpdateCreate),
    example: { status: 'MONITORING', description: 'A fix is in place.' },
    response: incidentUpdate,
    alsoAnswers: { ...unknown, 409: 'It has 200 updates.' },
  },
  getIncidentUpdate: { ...ofUpdates.get, summary: 'Get an update of an incident' },
  updateIncidentUpdate: {
    ...ofUpdates.update,
    summary: 'Update an update of an incident',
    description: 'Omitted fields are kept. Subscribers are not notified again.',
    body: ignoring(readOnlyUpdate, updateOf(incidentUpdateCreate)),
    example: { description: 'A fix is in place since noon.' },
  },
  deleteIncidentUpdate: {
    ...ofUpdates.remove,
    summary: 'Delete an update of an incident',
    alsoAnswers: { ...unknownUpdate, 409: 'It is the only update.' },
  },
} as const satisfies Untagged);
