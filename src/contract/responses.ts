// Parts of responses: the body of errors (decisions: Error body), warnings of writes, and where a resource is used.
import { z } from 'zod';

/** Users of one sort: their number, and some of them. */
export function users<User extends z.ZodType>(user: User, order: string) {
  return z.strictObject({ total: z.int(), listed: z.array(user).describe(`Up to 50, ${order}.`) });
}

/** Groups that use something. @param description which */
export function groupUsers(description: string) {
  return users(z.strictObject({ id: z.int(), name: z.string() }), 'by ID').describe(description);
}

export const resourceUses = z
  .strictObject({
    checks: users(z.strictObject({ id: z.uuid(), name: z.string() }), 'by name').describe('Checks that name it.'),
    groups: groupUsers('Groups that name it.'),
  })
  .meta({ id: 'ResourceUses', description: 'The checks and groups that use a private location or snippet.' });
export type ResourceUsesBody = z.output<typeof resourceUses>;

/** The response field. */
export const warnings = z
  .array(z.strictObject({ path: z.string(), message: z.string() }))
  .exactOptional()
  .describe(
    'Only in responses to POST, PUT and PATCH: fields that were accepted but probably do not have the intended effect.',
  );

export const errorBody = z
  .object({
    statusCode: z.int().describe('The HTTP status.'),
    error: z.string().describe('Its reason phrase.'),
    message: z.string().describe('What is wrong and how to fix it.'),
    attributes: z
      .record(z.string(), z.unknown())
      .exactOptional()
      .describe('Details. For a 400: the reason for every invalid field, by its path.'),
  })
  .meta({ id: 'Error', description: 'The body of every error.' });
export type ErrorBody = z.output<typeof errorBody>;
