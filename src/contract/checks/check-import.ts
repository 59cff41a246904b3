// Many new checks at once: those that are right are created, the others are listed with what is wrong.
import { z } from 'zod';
import { jsonObject } from '#lib/schema/json.ts';
import { tagged } from '../operation.ts';
import { assignQuery } from './check-operations.ts';

/** Parsed one by one, so that a wrong one does not refuse the others; documented as the schema that parses it. */
const definition = jsonObject.meta({ $ref: '#/$defs/CheckCreate' });

/** Most checks of one import: its transaction must not hold up other writes. */
const mostChecks = 200;

export const checkImportOperations = tagged('Checks', {
  importChecks: {
    method: 'POST',
    path: '/v1/check-imports',
    summary: 'Create many checks',
    description:
      'Creates all checks that are right in one transaction, and says what is wrong with each of the others. Refuses all of them if they do not fit into the account’s limit.',
    permission: 'write',
    query: assignQuery,
    body: z.strictObject({
      checks: z
        .array(definition)
        .min(1)
        .max(mostChecks)
        .describe(`Definitions, as for creating one check: at most ${mostChecks}.`),
      dryRun: z.boolean().default(false).describe('Only say what is wrong: create nothing.'),
    }),
    example: {
      checks: [
        { checkType: 'URL', name: 'Shop', request: { url: 'https://shop.example/' } },
        { checkType: 'TCP', name: 'Database', request: { hostname: 'db.example', port: 5432 } },
      ],
    },
    response: z
      .strictObject({
        checks: z
          .array(
            z.strictObject({
              id: z.uuid().nullable().describe('null = it was not created.'),
              errors: z.record(z.string(), z.string()).describe('What is wrong, by field. Empty = nothing.'),
            }),
          )
          .describe('In the order of the request.'),
      })
      .meta({ id: 'CheckImport' }),
    alsoAnswers: { 402: 'The checks do not fit into the account’s limit.' },
  },
});
