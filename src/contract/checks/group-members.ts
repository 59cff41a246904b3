// Which checks join and leave a group, in the API.
import { z } from 'zod';
import { pathUuid } from '#lib/schema/fields.ts';

/** Checks that join or leave a group at once. */
const maxMoved = 200;

const checkIds = z
  .array(pathUuid('ID of a check.'))
  .max(maxMoved)
  .default([])
  .transform((ids) => [...new Set(ids)]);

export const membersChange = z
  .strictObject({
    add: checkIds.describe('IDs of checks that join the group.'),
    remove: checkIds.describe('IDs of checks that leave it.'),
  })
  .refine(({ add, remove }) => add.length + remove.length <= maxMoved, {
    path: ['remove'],
    message: `must contain at most ${maxMoved} checks together with add`,
  })
  .refine(({ add, remove }) => !remove.some((id) => add.includes(id)), {
    path: ['remove'],
    message: 'must not contain a check that is also in add',
  })
  .meta({ id: 'GroupMembersChange', description: `Up to ${maxMoved} checks that join or leave a group.` });

export const membersMoved = z
  .strictObject({
    added: z.int().describe('Number of checks that joined.'),
    removed: z.int().describe('Number of checks that left.'),
  })
  .meta({ id: 'GroupMembersMoved', description: 'Effect of a change of the checks of a group.' });
