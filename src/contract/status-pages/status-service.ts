// Services of status pages in the API (reference §4.7).
import { z } from 'zod';
import { incidentSeverities, proposalModes } from '#domain/status-pages/status-service.ts';
import { serviceStates } from '#domain/status-pages/service-state.ts';
import { instant, orNull, pathUuid, updateOf } from '#lib/schema/fields.ts';
import { ignoring, readOnlyFields } from '#lib/schema/bodies.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { cursorPage, cursorQuery } from '../paging.ts';

/** A service, by its ID or by an object that contains it, as clients send what they received. */
const serviceReference = z.union([
  pathUuid('ID of a service.'),
  z.looseObject({ id: pathUuid('ID of a service.') }).transform(({ id }) => id),
]);

/** Services, each once. */
export function serviceList(most: number) {
  return z
    .array(serviceReference)
    .max(most)
    .transform((ids) => [...new Set(ids)]);
}

/** A service as pages and incidents name it. */
export const namedService = z
  .strictObject({ id: z.uuid(), name: z.string(), accountId: z.uuid() })
  .meta({ id: 'NamedStatusService' });

const none = () => [];
const text = (longest: number) => z.string().trim().min(1).max(longest);

const threshold = z.strictObject({
  of: z.enum(['CHECKS', 'LOCATIONS']).describe('What is counted: failing checks, or failing locations of the checks.'),
  count: z.int().min(1).max(1000).describe('The service is down from this number on, and degraded below it.'),
});

const incidentRule = z.strictObject({
  mode: z
    .enum(proposalModes)
    .default('PROPOSE')
    .describe(
      'What a failure opens: a draft (`PROPOSE`), a draft that is published after `afterMinutes` if the service is still down (`PUBLISH`), or nothing.',
    ),
  afterMinutes: z.int().min(0).max(1440).default(0),
  severity: z.enum(incidentSeverities).default('MAJOR'),
  name: text(200).nullable().default(null).describe('Title of the incident. Default: the name of the service.'),
  description: text(5000)
    .nullable()
    .default(null)
    .describe('First update. Default: a sentence in the page’s language.'),
  resolution: text(5000)
    .nullable()
    .default(null)
    .describe('Last update, when the service recovers. Default: a sentence in the page’s language.'),
  notifySubscribers: z
    .boolean()
    .default(true)
    .describe('Whether its updates notify subscribers and channels of pages.'),
});

const writable = {
  name: text(200),
  description: text(1000).nullable().default(null).describe('Shown below the name.'),
  checkIds: orNull(z.array(pathUuid('ID of a check.')).max(500), none).default([]),
  groupIds: orNull(z.array(z.int().min(1)).max(100), none)
    .default([])
    .describe('Check groups.'),
  tags: orNull(z.array(text(200)).max(50), none)
    .default([])
    .describe('Checks that have one of these tags, or whose group has.'),
  threshold: threshold
    .nullable()
    .default(null)
    .describe('null: the worst state of the checks is the state of the service.'),
  incidents: incidentRule.prefault({}).describe('How failures become incidents.'),
  showHistory: z.boolean().default(true).describe('Whether pages show its days and uptime.'),
};

export const statusServiceCreate = z.strictObject(writable);

export const statusService = z
  .strictObject({
    id: z.uuid(),
    accountId: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    checkIds: z.array(z.uuid()),
    groupIds: z.array(z.int()),
    tags: z.array(z.string()),
    threshold: threshold.nullable(),
    incidents: z.strictObject({
      mode: z.enum(proposalModes),
      afterMinutes: z.int(),
      severity: z.enum(incidentSeverities),
      name: z.string().nullable(),
      description: z.string().nullable(),
      resolution: z.string().nullable(),
      notifySubscribers: z.boolean(),
    }),
    showHistory: z.boolean(),
    state: z
      .enum(serviceStates)
      .describe(
        'The state that pages show, from its checks and open published incidents. `outage` = down, `unknown` = no data.',
      ),
    created_at: instant,
    updated_at: instant.nullable(),
  })
  .meta({
    id: 'StatusService',
    description:
      'What customers know of a system, and the checks that tell its state. Without checks, groups and tags, only incidents do.',
  });
export type StatusServiceBody = z.output<typeof statusService>;

const readOnly = [...readOnlyFields, 'accountId', 'state'];
const params = z.object({ id: pathUuid('ID of the service.') });
const unknown = { 404: 'Unknown service.' };
const usual = usualOperations({
  path: '/v1/status-pages/services',
  params,
  shown: statusService,
  unknown: unknown[404],
});

export const statusServiceOperations = tagged('Status pages', {
  listStatusServices: {
    method: 'GET',
    path: '/v1/status-pages/services',
    summary: 'List the services of status pages',
    description: 'Oldest first.',
    permission: 'read',
    query: cursorQuery,
    response: cursorPage(statusService),
  },
  createStatusService: {
    ...usual.create,
    summary: 'Create a service',
    body: ignoring(readOnly, statusServiceCreate),
    example: { name: 'Checkout', tags: ['checkout'] },
  },
  getStatusService: { ...usual.get, summary: 'Get a service' },
  updateStatusService: {
    ...usual.update,
    summary: 'Update a service',
    description: 'Omitted fields are kept. If other checks tell its state, its past days are counted again.',
    body: ignoring(readOnly, updateOf(statusServiceCreate)),
    example: { name: 'Checkout and payment' },
  },
  deleteStatusService: {
    ...usual.remove,
    summary: 'Delete a service',
    alsoAnswers: { ...unknown, 409: 'Status pages show it.' },
  },
} as const satisfies Untagged);
