// Where a resource of an account is used, in the API.
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
