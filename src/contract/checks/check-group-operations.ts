// Operations on check groups (reference §4.2, §4.4).
import { z } from 'zod';
import { check } from './check.ts';
import { checkGroup, groupCreate, groupCreateV2, groupParams, groupUpdate, groupUpdateV2 } from './check-group.ts';
import { assignQuery } from './check-operations.ts';
import { pathNumber, pathUuid, queryList, wholeNumber } from '#lib/schema/fields.ts';
import { merges } from '#lib/schema/patch.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';

/** Checks that join or leave a group at once. */
const maxMoved = 200;

const checkIds = z
  .array(pathUuid('ID of a check.'))
  .max(maxMoved)
  .default([])
  .transform((ids) => [...new Set(ids)]);

const membersChange = z
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

const membersMoved = z
  .strictObject({
    added: z.int().describe('Number of checks that joined.'),
    removed: z.int().describe('Number of checks that left.'),
  })
  .meta({ id: 'GroupMembersMoved', description: 'Effect of a change of the checks of a group.' });

const groupQuery = pageQuery.extend({
  tag: queryList(z.string().max(200)).exactOptional().describe('Only groups with all of these tags.'),
  name: queryList(z.string().max(200)).exactOptional().describe('Only groups with one of these names.'),
});

const createQuery = assignQuery.extend({
  copyOf: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe('ID of a group, for values that the body masks as `***` or omits.'),
});

const usual = usualOperations({
  path: '/v1/check-groups',
  params: groupParams,
  shown: checkGroup,
  unknown: 'Unknown check group.',
});
const example = { name: 'Shop', locations: [], apiCheckDefaults: { url: 'https://shop.example' } };

export const checkGroupOperations = tagged('Check groups', {
  listCheckGroups: {
    ...usual.list,
    summary: 'List all check groups',
    query: groupQuery,
  },
  createCheckGroup: {
    ...usual.create,
    summary: 'Create a check group that overrides the settings of its checks',
    description: 'Deprecated: version 2 leaves settings that the group does not set to its checks.',
    query: assignQuery,
    body: groupCreate,
    example,
    isDeprecated: true,
  },
  createCheckGroupV2: {
    method: 'POST',
    path: '/v2/check-groups',
    summary: 'Create a check group',
    permission: 'write',
    query: createQuery,
    body: groupCreateV2,
    example,
    status: 201,
    response: checkGroup,
  },
  getCheckGroup: {
    ...usual.get,
    summary: 'Get a check group',
    isRevised: true,
  },
  updateCheckGroup: {
    ...usual.update,
    summary: 'Update a check group, with the defaults of version 1',
    description: merges,
    query: assignQuery,
    body: groupUpdate,
    example: { muted: true },
    isRevised: true,
    isDeprecated: true,
  },
  updateCheckGroupV2: {
    ...usual.update,
    path: '/v2/check-groups/{id}',
    summary: 'Update a check group',
    description: merges,
    query: assignQuery,
    body: groupUpdateV2,
    example: { muted: true },
    isRevised: true,
  },
  upgradeAssertionsOfCheckGroup: {
    ...usual.update,
    method: 'POST',
    path: '/v1/check-groups/{id}/upgrade-assertions',
    summary: 'Upgrade the assertions of a check group',
    description:
      'Assertions of `apiCheckDefaults` with `passesIfAbsent` were saved by an older version and pass if their value does not exist. Afterwards they fail then, like new ones. The checks of the group have their own assertions.',
  },
  deleteCheckGroup: {
    ...usual.remove,
    summary: 'Delete a check group',
    description:
      'Keeps the checks, without a group, and deletes the trigger. Rejected if a check with scripts would be left without a runtime.',
  },
  listChecksOfGroup: {
    ...usual.get,
    path: '/v1/check-groups/{id}/checks',
    summary: 'List the checks of a group',
    ignoredQuery: ['applyGroupSettings', 'includeDependencies'],
    description: 'Ordered by `groupOrder`.',
    query: pageQuery,
    response: z.array(check),
    isPaged: true,
  },
  changeChecksOfGroup: {
    ...usual.update,
    path: '/v1/check-groups/{id}/checks',
    summary: 'Add checks to a group, or remove them from it',
    description:
      'One transaction: if a check cannot be added, nothing changes. A check that is in another group leaves it. Checks that are in the group already, or not in it, are ignored.',
    body: membersChange,
    example: { remove: ['0b6b2f0c-6a0f-4a53-9c9a-5d1f3f1f4c11'] },
    response: membersMoved,
  },
  getCheckOfGroup: {
    method: 'GET',
    path: '/v1/check-groups/{id}/checks/{checkId}',
    summary: 'Get a check with the settings of its group applied',
    ignoredQuery: ['applyGroupSettings', 'includeDependencies'],
    permission: 'read',
    params: z.object({ id: pathNumber('ID of the group.'), checkId: pathUuid('ID of the check.') }),
    response: check,
    alsoAnswers: { 404: 'The group does not contain this check.' },
  },
} as const satisfies Untagged);
