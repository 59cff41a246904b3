// Operations on checks (reference §4.2).
import { z } from 'zod';
import { checkStatuses } from '#domain/checks/check-state.ts';
import { type KindSchema, schemaOf } from '#checks/check-schemas.ts';
import type { CheckSchema } from '#checks/schema.ts';
import { pathOfType } from '#domain/checks/check.ts';
import {
  anyCheckCreate,
  check,
  checkParams,
  checkTypes,
  checkUpdate,
  type KindBodies,
  kindBodies,
  type ShownOf,
} from './check.ts';
import { flag, pathUuid, queryList, wholeNumber } from '#lib/schema/fields.ts';
import { merges } from '#lib/schema/patch.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';

const checkQuery = pageQuery.extend({
  tag: queryList(z.string().max(200)).exactOptional().describe('Only checks with all of these tags.'),
  checkType: z.enum(checkTypes).exactOptional(),
  activated: flag.exactOptional().describe('true = only activated checks, false = only deactivated ones.'),
  search: z.string().max(200).exactOptional().describe('Only checks whose name contains this text (case-insensitive).'),
  status: z.enum(checkStatuses).exactOptional().describe('Only checks in this state.'),
  groupId: wholeNumber(1, 999_999_999_999_999).exactOptional(),
  apiCheckUrlFilterPattern: z
    .string()
    .max(2048)
    .exactOptional()
    .describe('Only API checks whose URL contains this text.'),
  applyGroupSettings: flag.default(false).describe('Return the effective settings, with those of the group applied.'),
});

/** Query parameters of create and update. */
export const assignQuery = z.object({
  autoAssignAlerts: flag.default(true).describe('Subscribe the channels that have `autoSubscribe` set.'),
});

const readQuery = z.object({ applyGroupSettings: checkQuery.shape.applyGroupSettings });
const unknown = { 404: 'Unknown check.' };
const usual = usualOperations({ path: '/v1/checks', params: checkParams, shown: check, unknown: unknown[404] });
const createQuery = assignQuery.extend({
  copyOf: pathUuid('')
    .exactOptional()
    .describe('ID of a check of the same type, for values that the body masks as `***` or omits.'),
});
const creating = { method: 'POST', permission: 'write', query: createQuery, status: 201 } as const;
const changing = {
  method: 'PUT',
  description: merges,
  permission: 'write',
  params: checkParams,
  query: assignQuery,
  example: { frequency: 5 },
  isRevised: true,
  alsoAnswers: { 404: 'Unknown check.' },
} as const;

type OperationsOf<Verb extends string, Common> = {
  readonly [Schema in KindSchema as `${Verb}${Schema['name']}Check`]: Common & { readonly response: ShownOf<Schema> };
};

/** The operation for each kind, built from its schema. */
function ofEveryKind<Verb extends string, Made extends { readonly response: unknown }>(
  verb: Verb,
  make: (bodies: KindBodies) => Made,
): OperationsOf<Verb, Omit<Made, 'response'>> {
  const made = kindBodies.map((bodies) => [`${verb}${bodies.schema.name}Check`, make(bodies)]);
  // The type system cannot derive the names, which are those of the kinds' schemas.
  return Object.fromEntries(made) as OperationsOf<Verb, Omit<Made, 'response'>>;
}

/** Operation IDs for creating and changing checks of each type. */
export const kindOperations = kindBodies.map(
  ({ schema: { type, name } }) =>
    ({
      type,
      create: `create${name}Check`,
      update: `update${name}Check`,
    }) as const,
);

function createKind({ schema, create, shown }: KindBodies) {
  const { type, title, about, description = about, example }: CheckSchema = schema;
  return {
    ...creating,
    path: `/v1/checks/${pathOfType(type)}`,
    summary: `Create ${title}`,
    description,
    body: create,
    example,
    response: shown,
  } as const;
}

function updateKind({ schema, update, shown }: KindBodies) {
  const { type, title, exampleOfChange = changing.example }: CheckSchema = schema;
  return {
    ...changing,
    path: `/v1/checks/${pathOfType(type)}/{id}`,
    summary: `Change ${title}`,
    example: exampleOfChange,
    body: update,
    response: shown,
  } as const;
}

export const checkOperations = tagged('Checks', {
  listChecks: {
    ...usual.list,
    summary: 'List all checks',
    ignoredQuery: ['includeDependencies'],
    query: checkQuery,
  },
  createCheck: {
    ...usual.create,
    summary: 'Create a check of any type',
    description: 'Deprecated: use the path of the check type.',
    query: createQuery,
    body: anyCheckCreate,
    example: { checkType: 'API', ...schemaOf('API').example },
    isDeprecated: true,
  },
  ...ofEveryKind('create', createKind),
  getCheck: {
    ...usual.get,
    summary: 'Get a check',
    ignoredQuery: ['includeDependencies'],
    query: readQuery,
    isRevised: true,
  },
  updateCheck: {
    ...changing,
    path: '/v1/checks/{id}',
    summary: 'Update a check',
    description:
      `${changing.description} All fields of API checks can be changed here, and those of browser and multi-step ` +
      'checks if `checkType` names the type; for other types only the common fields. Use the path of the type for the rest.',
    body: checkUpdate,
    response: check,
  },
  ...ofEveryKind('update', updateKind),
  upgradeAssertionsOfCheck: {
    ...usual.update,
    method: 'POST',
    path: '/v1/checks/{id}/upgrade-assertions',
    summary: 'Upgrade the assertions of a check',
    description:
      'Assertions with `passesIfAbsent` were saved by an older version and pass if their value does not exist. Afterwards they fail then, like new ones. Has no effect on other assertions.',
  },
  deleteCheck: {
    ...usual.remove,
    summary: 'Delete a check',
    description: 'Also deletes its results, subscriptions and trigger. Channels with an open alert receive a recovery.',
  },
} as const satisfies Untagged);
