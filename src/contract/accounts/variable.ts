// Environment variables of an account in the API (reference: variable; spec §5).
import { z } from 'zod';
import { updateOf, variableKey } from '#lib/schema/fields.ts';
import { ignoring } from '#lib/schema/bodies.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { warnings, groupUsers, users } from '../responses.ts';

const value = z.string().max(32_768);

export const variable = z
  .strictObject({
    key: z.string(),
    value: z.string().nullable().describe('null when the variable is secret.'),
    locked: z.boolean().describe('Whether the value is redacted in all logs.'),
    secret: z.boolean().describe('Whether the value is never shown again and not available in alert templates.'),
    warnings,
  })
  .meta({ id: 'Variable', description: 'A named value that checks and alert templates can use as {{KEY}}.' });
export type VariableBody = z.output<typeof variable>;

const variableCreate = z.strictObject({
  key: variableKey.describe('Unique in the account. Letters, digits and underscores.'),
  value: value.describe('Up to 32,768 characters, used literally: a {{NAME}} in it is not replaced.'),
  locked: z.boolean().default(false).describe('Redact the value in all logs.'),
  secret: z
    .boolean()
    .default(false)
    .describe('Never show the value again and do not make it available in alert templates.'),
});

/** The reference clients send `key` with every update. It cannot be changed. */
const variableUpdate = updateOf(variableCreate).extend({
  value: z
    .string()
    .min(1)
    .max(32_768)
    .nullable()
    .exactOptional()
    .describe('null keeps the value of a secret variable.'),
});

const variableUses = z
  .strictObject({
    checks: users(
      z.strictObject({
        id: z.uuid(),
        name: z.string(),
        required: z.boolean().describe('Whether the check cannot run without it. false = a script reads or sets it.'),
      }),
      'by name',
    ).describe('Checks whose settings or scripts use it, unless they or their group define it themselves.'),
    groups: groupUsers('Groups whose defaults or scripts use it.'),
    channels: users(z.strictObject({ id: z.int(), type: z.string() }), 'by ID').describe(
      'Channels whose templates use it.',
    ),
  })
  .meta({ id: 'VariableUses', description: 'Where a variable of the account is used.' });
export type VariableUsesBody = z.output<typeof variableUses>;

const params = z.object({ key: z.string().max(1000).describe('Key of the variable.') });
const usual = usualOperations({ path: '/v1/variables', params, shown: variable, unknown: 'Unknown variable.' });

export const variableOperations = tagged('Environment variables', {
  listVariables: { ...usual.list, summary: 'List all environment variables' },
  createVariable: {
    ...usual.create,
    summary: 'Create an environment variable',
    body: ignoring(['warnings'], variableCreate),
    example: { key: 'SHOP_URL', value: 'https://shop.example' },
    alsoAnswers: { 409: 'The variable already exists.' },
  },
  getVariable: { ...usual.get, summary: 'Get an environment variable' },
  updateVariable: {
    ...usual.update,
    summary: 'Update an environment variable',
    body: ignoring(['warnings'], variableUpdate),
    example: { value: 'https://shop.example' },
  },
  getVariableUses: {
    ...usual.get,
    path: '/v1/variables/{key}/uses',
    summary: 'List where an environment variable is used',
    description:
      'Finds {{NAME}}, and names that scripts read from their environment. Names that a script builds itself cannot be found. One request per account reads at a time; others wait.',
    response: variableUses,
  },
  deleteVariable: { ...usual.remove, summary: 'Delete an environment variable' },
} as const satisfies Untagged);
