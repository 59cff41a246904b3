// Environment variables of an account on the wire (reference: variable; spec §5).
import { z } from 'zod';
import { updateOf, variableKey } from '#lib/schema/fields.ts';
import { ignoring } from '#lib/schema/bodies.ts';
import type { Operations } from '../operation.ts';
import { warnings } from '../checks/warnings.ts';
import { pageQuery } from '../paging.ts';

const value = z.string().max(32_768);

export const variable = z
  .strictObject({
    key: z.string(),
    value: z.string().nullable().describe('null when the variable is secret.'),
    locked: z.boolean().describe('Its value is redacted in every log.'),
    secret: z.boolean().describe('Never shown again, and never given to an alert template.'),
    warnings,
  })
  .meta({ id: 'Variable', description: 'A named value that checks and alert templates can use as {{KEY}}.' });
export type VariableBody = z.output<typeof variable>;

const variableCreate = z.strictObject({
  key: variableKey.describe('Unique in the account. Letters, digits and underscores.'),
  value: value.describe('Up to 32,768 characters, used literally: {{NAME}} in it is not filled in.'),
  locked: z.boolean().default(false).describe('Redact its value in every log.'),
  secret: z.boolean().default(false).describe('Never show it again, and never give it to an alert template.'),
});

/** `key` may be repeated, as the reference clients do, but not changed. */
const variableUpdate = updateOf(variableCreate).extend({
  value: z.string().min(1).max(32_768).nullable().exactOptional().describe('null, as it is shown, keeps a secret one.'),
});

const params = z.object({ key: z.string().max(1000).describe('Key of the variable.') });
const unknown = { 404: 'Unknown variable.' };
const tag = 'Environment variables';

export const variableOperations = {
  listVariables: {
    method: 'GET',
    path: '/v1/variables',
    summary: 'List all environment variables',
    tag,
    permission: 'read',
    query: pageQuery,
    status: 200,
    response: z.array(variable),
    isPaged: true,
  },
  createVariable: {
    method: 'POST',
    path: '/v1/variables',
    summary: 'Create an environment variable',
    tag,
    permission: 'write',
    body: ignoring(['warnings'], variableCreate),
    example: { key: 'SHOP_URL', value: 'https://shop.example' },
    status: 201,
    response: variable,
    alsoAnswers: { 409: 'The variable already exists.' },
  },
  getVariable: {
    method: 'GET',
    path: '/v1/variables/{key}',
    summary: 'Read an environment variable',
    tag,
    permission: 'read',
    params,
    status: 200,
    response: variable,
    alsoAnswers: unknown,
  },
  updateVariable: {
    method: 'PUT',
    path: '/v1/variables/{key}',
    summary: 'Change an environment variable',
    tag,
    permission: 'write',
    params,
    body: ignoring(['warnings'], variableUpdate),
    example: { value: 'https://shop.example' },
    status: 200,
    response: variable,
    alsoAnswers: unknown,
  },
  deleteVariable: {
    method: 'DELETE',
    path: '/v1/variables/{key}',
    summary: 'Delete an environment variable',
    tag,
    permission: 'write',
    params,
    status: 204,
    alsoAnswers: unknown,
  },
} as const satisfies Operations;
