// Operations on check groups (reference §4.2, §4.4).
import { z } from 'zod';
import { check } from './check.ts';
import { checkGroup, groupCreate, groupCreateV2, groupParams, groupUpdate, groupUpdateV2 } from './check-group.ts';
import { assignQuery } from './check-operations.ts';
import { membersChange, membersMoved } from './group-members.ts';
import { pathNumber, pathUuid, queryList, wholeNumber } from '#lib/schema/fields.ts';
import { merges } from '#lib/schema/patch.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';

const groupQuery = pageQuery.extend({
  tag: queryList(z.string().max(200)).exactOptional().describe('Only groups with all of these tags.'),
  name: queryList(z.string().max(200)).exactOptional().describe('Only groups with one of these names.'),
});

const createQuery = assignQuery.extend({
  copyOf: wholeNumber(1, Number.MAX_SAFE_INTEGER)
    .exactOptional()
    .describe('ID of a group, for values that the body masks as `***` or omits.'),
});

const unknown = { 404: 'Unknown check group.' };
const usual = usualOperations({
  path: '/v1/check-groups',
  params: groupParams,
  shown: checkGroup,
  unknown: unknown[404],
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
    method: 'PUT',
    path: '/v2/check-groups/{id}',
    summary: 'Update a check group',
    description: merges,
    permission: 'write',
    params: groupParams,
    query: assignQuery,
    body: groupUpdateV2,
    example: { muted: true },
    response: checkGroup,
    isRevised: true,
    alsoAnswers: unknown,
  },
  upgradeAssertionsOfCheckGroup: {
    method: 'POST',
    path: '/v1/check-groups/{id}/upgrade-assertions',
    summary: 'Upgrade the assertions of a check group',
    description:
      'Assertions of `apiCheckDefaults` with `passesIfAbsent` were saved by an older version and pass if their value does not exist. Afterwards they fail then, like new ones. The checks of the group have their own assertions.',
    permission: 'write',
    params: groupParams,
    response: checkGroup,
    alsoAnswers: unknown,
  },
  deleteCheckGroup: {
    ...usual.remove,
    summary: 'Delete a check group',
    description:
      'Keeps the checks, without a group, and deletes the trigger. Rejected if a check with scripts would be left without a runtime.',
  },
  listChecksOfGroup: {
    method: 'GET',
    path: '/v1/check-groups/{id}/checks',
    summary: 'List the checks of a group',
    ignoredQuery: ['applyGroupSettings', 'includeDependencies'],
    description: 'Ordered by `groupOrder`.',
    permission: 'read',
    params: groupParams,
    query: pageQuery,
    response: z.array(check),
    isPaged: true,
    alsoAnswers: unknown,
  },
  changeChecksOfGroup: {
    method: 'PUT',
    path: '/v1/check-groups/{id}/checks',
    summary: 'Add checks to a group, or remove them from it',
    description:
      'One transaction: if a check cannot be added, nothing changes. A check that is in another group leaves it. Checks that are in the group already, or not in it, are ignored.',
    permission: 'write',
    params: groupParams,
    body: membersChange,
    example: { remove: ['0b6b2f0c-6a0f-4a53-9c9a-5d1f3f1f4c11'] },
    response: membersMoved,
    alsoAnswers: unknown,
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
