// Private locations and their keys in the API (reference §4.7).
import { z } from 'zod';
import { instant, pathUuid, updateOf } from '#lib/schema/fields.ts';
import { ignoring, readOnlyFields } from '#lib/schema/bodies.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { resourceUses } from '../responses.ts';

const locationKey = z
  .strictObject({
    id: z.uuid(),
    maskedKey: z.string().describe('First characters of the key, to recognize it.'),
    rawKey: z.string().exactOptional().describe('The key. Only in the response that creates it.'),
    created_at: instant,
  })
  .meta({ id: 'PrivateLocationKey', description: 'A key of a private location. Nothing in Tocsin requires it yet.' });
export type PrivateLocationKeyBody = z.output<typeof locationKey>;

const words = {
  slugName:
    'Unique in the installation: 1 to 30 lower-case letters, digits and hyphens, unlike the name of a region. Processes with `TOCSIN_LOCATION` set to it serve the location. It cannot be changed.',
  icon: 'Label for clients.',
};

export const privateLocation = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    slugName: z.string().describe(words.slugName),
    icon: z.string().describe(words.icon),
    proxyUrl: z.null(),
    keys: z.array(locationKey),
    lastSeen: instant
      .nullable()
      .describe('Last heartbeat of a process that serves it; null = none in the last 30 days.'),
    agentCount: z.int().describe('Number of processes that serve it now.'),
    runningAgents: z.array(z.strictObject({ hostname: z.string() })),
    created_at: instant,
    updated_at: instant.nullable(),
  })
  .meta({ id: 'PrivateLocation', description: 'A run location of one account.' });
export type PrivateLocationBody = z.output<typeof privateLocation>;

export const privateLocationCreate = z.strictObject({
  name: z.string().trim().min(1).max(200),
  slugName: z.string().max(100).describe(words.slugName),
  icon: z.string().max(100).default('location').describe(words.icon),
  proxyUrl: z
    .literal('', 'is not supported: set HTTPS_PROXY for the process')
    .nullable()
    .default(null)
    .describe('Accepted empty for existing clients.'),
});

const readOnly = [...readOnlyFields, 'keys', 'lastSeen', 'agentCount', 'runningAgents'];
const params = z.object({ id: pathUuid('ID of the private location.') });
const keyParams = params.extend({ keyId: pathUuid('ID of the key.') });
const unknown = { 404: 'Unknown private location.' };
const usual = usualOperations({ path: '/v1/private-locations', params, shown: privateLocation, unknown: unknown[404] });

export const privateLocationOperations = tagged('Private locations', {
  listPrivateLocations: {
    method: 'GET',
    path: '/v1/private-locations',
    summary: 'List all private locations',
    description: 'By slug. The list is not paged.',
    permission: 'read',
    response: z.array(privateLocation),
  },
  createPrivateLocation: {
    ...usual.create,
    summary: 'Create a private location',
    description:
      'Only checks of the account run there. Until a process serves it, their runs wait, and are missed after ten minutes. The response contains a first key, which is never shown again.',
    body: ignoring(readOnly, privateLocationCreate),
    example: { name: 'Office', slugName: 'office' },
  },
  getPrivateLocation: { ...usual.get, summary: 'Get a private location' },
  updatePrivateLocation: {
    ...usual.update,
    summary: 'Update a private location',
    description: 'Omitted fields are kept. `slugName` must be the present one.',
    body: ignoring(readOnly, updateOf(privateLocationCreate)),
    example: { name: 'Office, second floor' },
  },
  getPrivateLocationUses: {
    ...usual.get,
    path: '/v1/private-locations/{id}/uses',
    summary: 'List where a private location is used',
    description: 'One request per account searches at a time; others wait.',
    response: resourceUses,
  },
  deletePrivateLocation: {
    ...usual.remove,
    summary: 'Delete a private location',
    description: 'Its processes continue to run and receive no other checks.',
    alsoAnswers: { ...unknown, 409: 'Checks or groups use it.' },
  },
  createPrivateLocationKey: {
    ...usual.update,
    method: 'POST',
    path: '/v1/private-locations/{id}/keys',
    summary: 'Create a key of a private location',
    description: 'The response contains the key, which is never shown again. Nothing in Tocsin requires it yet.',
    status: 201,
    response: locationKey,
    alsoAnswers: { ...unknown, 409: 'It has 20 keys.' },
  },
  deletePrivateLocationKey: {
    method: 'DELETE',
    path: '/v1/private-locations/{id}/keys/{keyId}',
    summary: 'Delete a key of a private location',
    permission: 'write',
    params: keyParams,
    status: 204,
    alsoAnswers: { 404: 'Unknown private location or key.' },
  },
} as const satisfies Untagged);
