// Changes to many checks at once, with a preview and an undo.
import { z } from 'zod';
import { changesKept, mostChecks } from '#domain/changes/bulk-change.ts';
import { instant, pathUuid } from '#lib/schema/fields.ts';
import { channelSubscriptions, tagList } from '../lists.ts';
import { tagged } from '../operation.ts';
import { checkFields } from './check-fields.ts';

/** A field of a check without its default: absent = kept. */
function kept<Field extends z.ZodType>(field: z.ZodDefault<Field>): z.ZodExactOptional<Field> {
  const { description } = field;
  const own = field.unwrap();
  return (description === undefined ? own : own.describe(description)).exactOptional();
}

const tags = z.array(z.string().min(1).max(200)).min(1).max(100);
const channelIds = z.array(z.int().min(1)).min(1).max(200);

const edit = z
  .strictObject({
    activated: kept(checkFields.activated),
    muted: kept(checkFields.muted),
    mutedUntil: kept(checkFields.mutedUntil),
    mutedUntilRecovery: kept(checkFields.mutedUntilRecovery),
    frequency: kept(checkFields.frequency),
    frequencyOffset: kept(checkFields.frequencyOffset),
    locations: kept(checkFields.locations),
    privateLocations: kept(checkFields.privateLocations),
    runParallel: kept(checkFields.runParallel),
    groupId: kept(checkFields.groupId),
    useGlobalAlertSettings: kept(checkFields.useGlobalAlertSettings),
    alertSettings: kept(checkFields.alertSettings),
    tags: tagList.exactOptional().describe('Replaces the tags.'),
    addTags: tags.exactOptional(),
    removeTags: tags.exactOptional(),
    alertChannelSubscriptions: channelSubscriptions.exactOptional().describe('Replaces the subscriptions.'),
    addChannels: channelIds.exactOptional().describe('IDs of alert channels to subscribe.'),
    removeChannels: channelIds.exactOptional().describe('IDs of alert channels to unsubscribe.'),
  })
  .refine((fields) => Object.keys(fields).length > 0, 'must have at least one field')
  .refine(({ tags: all, addTags, removeTags }) => all === undefined || (addTags ?? removeTags) === undefined, {
    path: ['tags'],
    message: 'cannot be combined with addTags and removeTags',
  })
  .refine(
    ({ alertChannelSubscriptions: all, addChannels, removeChannels }) =>
      all === undefined || (addChannels ?? removeChannels) === undefined,
    { path: ['alertChannelSubscriptions'], message: 'cannot be combined with addChannels and removeChannels' },
  )
  .meta({
    id: 'CheckEdit',
    description: 'What is set in each check. Omitted fields are kept; objects and lists are replaced as a whole.',
  });

const checkChange = z
  .strictObject({
    id: z.uuid().nullable().describe('null = a preview, which is not stored.'),
    status: z.enum(['preview', 'running', 'ended']),
    undoOf: z.uuid().nullable().describe('ID of the change that it undoes. null = none.'),
    checks: z.int().describe('Number of checks in the request.'),
    changed: z.int().describe('Checks that were changed or deleted; of a preview, those that would be.'),
    unchanged: z.int().describe('Checks that had these values already.'),
    refused: z.int().describe('Checks that cannot take the change. They are kept as they are.'),
    remaining: z.int().describe('Checks that were not decided: yet, or because an error in Tocsin ended the change.'),
    refusals: z
      .array(
        z.strictObject({
          checkId: z.uuid(),
          name: z.string().nullable().describe('null = there is no such check.'),
          reason: z.string(),
        }),
      )
      .describe('The first 1,000 refused checks.'),
    undoableUntil: instant.nullable().describe('null = it cannot be undone: a deletion, an undo, or undone already.'),
    created_at: instant,
    ended_at: instant.nullable(),
  })
  .meta({ id: 'CheckChange', description: 'One change to many checks.' });
export type CheckChangeBody = z.output<typeof checkChange>;

const params = z.object({ id: pathUuid('ID of the change.') });
const gone = { 404: 'Unknown change, or it ended more than ten minutes ago.' } as const;

export const checkChangeOperations = tagged('Checks', {
  createCheckChange: {
    method: 'POST',
    path: '/v1/check-changes',
    summary: 'Change or delete many checks',
    description: `Applies the rules of single changes to each check, and lists those that cannot take the change; the others are changed. It answers at once: read its progress with \`GET\`. A change that is interrupted goes on. It can be undone for ten minutes after its end, unless it deletes checks; ${changesKept} changes of an account are stored.`,
    permission: 'write',
    body: z
      .strictObject({
        checkIds: z
          .array(pathUuid('ID of a check.'))
          .min(1)
          .max(mostChecks)
          .transform((ids) => [...new Set(ids)])
          .describe(`Up to ${mostChecks.toLocaleString('en-US')}.`),
        change: edit.exactOptional(),
        delete: z.literal(true).exactOptional().describe('Delete the checks instead.'),
        dryRun: z.boolean().default(false).describe('Change nothing: only say what would change.'),
      })
      .refine((body) => (body.change === undefined) !== (body.delete === undefined), {
        path: ['change'],
        message: 'is required, or delete, but not both',
      }),
    example: {
      checkIds: ['0199f0c4-3b5e-7000-8000-000000000001', '0199f0c4-3b5e-7000-8000-000000000002'],
      change: { frequency: 5, addTags: ['team-shop'] },
    },
    response: checkChange,
    alsoAnswers: { 409: 'Another change of checks of the account is in progress.' },
  },
  getCheckChange: {
    method: 'GET',
    path: '/v1/check-changes/{id}',
    summary: 'Get a change of many checks and its progress',
    permission: 'read',
    params,
    response: checkChange,
    alsoAnswers: gone,
  },
  undoCheckChange: {
    method: 'POST',
    path: '/v1/check-changes/{id}/undo',
    summary: 'Undo a change of many checks',
    description:
      'Restores the previous values of the changed checks, in a change of its own. Refuses those that were changed again or deleted afterwards.',
    permission: 'write',
    params,
    response: checkChange,
    alsoAnswers: { ...gone, 409: 'It cannot be undone, or another change is in progress.' },
  },
});
