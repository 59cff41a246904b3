// API keys in the API (decisions: API key).
import { z } from 'zod';
import { apiKeyRoles } from '#domain/accounts/api-key.ts';
import { bodyInstant, instant, pathUuid } from '#lib/schema/fields.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';

const shape = {
  id: z.uuid(),
  name: z.string(),
  prefix: z.string().describe('First characters of the key, to recognize it.'),
  role: z.enum(apiKeyRoles),
  accountIds: z.array(z.string()).describe('Accounts the key has access to. The first is its default.'),
  createdAt: instant,
  lastUsedAt: instant.nullable(),
  expiresAt: instant.nullable(),
};

export const apiKey = z.strictObject(shape).meta({ id: 'ApiKey', description: 'An API key, without its secret.' });
export type ApiKeyBody = z.output<typeof apiKey>;

export const apiKeyCreated = z
  .strictObject({ ...shape, key: z.string().describe('The key. Shown only once.') })
  .meta({ id: 'ApiKeyCreated' });

const apiKeyCreate = z.strictObject({
  name: z.string().trim().min(1).max(200),
  role: z.enum(apiKeyRoles).describe('Only an operator key can create another operator key.'),
  accountIds: z
    .array(z.string().max(100))
    .min(1)
    .max(1000)
    .exactOptional()
    .describe(
      'Accounts that the new key can access, out of those of your own key. Default: the account of the request.',
    ),
  expiresAt: bodyInstant.nullable().default(null).describe('null = never.'),
});

const params = z.object({ id: pathUuid('ID of the key.') });
const usual = usualOperations({ path: '/v1/api-keys', params, shown: apiKey, unknown: 'Unknown API key.' });

export const apiKeyOperations = tagged('API keys', {
  listApiKeys: {
    ...usual.list,
    summary: 'List the API keys of the account',
    permission: 'admin',
  },
  createApiKey: {
    ...usual.create,
    summary: 'Create an API key',
    description: 'The response contains the key, which is never shown again.',
    permission: 'admin',
    body: apiKeyCreate,
    example: { name: 'CI', role: 'read-run' },
    response: apiKeyCreated,
  },
  getApiKey: {
    ...usual.get,
    summary: 'Get an API key',
    permission: 'admin',
  },
  deleteApiKey: {
    ...usual.remove,
    summary: 'Revoke an API key immediately',
    permission: 'admin',
  },
} as const satisfies Untagged);
