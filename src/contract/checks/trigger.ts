// Triggers on the wire (spec §2.3, §4.3; decisions: Trigger of a check group).
import { z } from 'zod';
import { day, flag, pathNumber, pathUuid, variableKey, wholeNumber } from '#lib/schema/fields.ts';
import type { Operations } from '../operation.ts';
import { pageQuery } from '../paging.ts';

const common = {
  id: z.int().describe('Trigger identifier.'),
  token: z.string().describe('Opaque; starts the checks without a key, under the path below.'),
  created_at: day.describe('Creation date.'),
  called_at: day.exactOptional().describe('Date the trigger was last called.'),
  updated_at: day.exactOptional().describe('Date of last update.'),
};

export const groupTrigger = z
  .strictObject({ ...common, groupId: z.int().describe('The check group it belongs to.') })
  .meta({
    id: 'CheckGroupTrigger',
    examples: [
      { id: 1, token: 'b2xqR9nVnS0mQ0tYc1kE5A', created_at: '2026-01-31', groupId: 4, called_at: '2026-01-31' },
    ],
  });
export type GroupTriggerBody = z.output<typeof groupTrigger>;

export const checkTrigger = z
  .strictObject({ ...common, checkId: z.uuid().describe('The check it belongs to.') })
  .meta({ id: 'CheckTrigger' });
export type CheckTriggerBody = z.output<typeof checkTrigger>;

export const triggerOutcome = z.strictObject({
  checkId: z.uuid(),
  name: z.string(),
  hasFailures: z.boolean(),
  responseTime: z.int().describe('Whole ms; 0 when there was no answer, or Tocsin was too busy to measure it.'),
  message: z.string().exactOptional().describe('Why it failed; absent when it did not.'),
  resultLink: z.string().exactOptional().describe('A page of the failed result, readable without a key for 30 days.'),
});

export const triggeredRun = z
  .strictObject({
    id: z.uuid().describe('Id of the run, and of its result.'),
    checkId: z.uuid(),
    name: z.string().describe('Name of the check.'),
    runLocation: z.string(),
    state: z.enum(['running', 'ended']),
    outcome: z.enum(['passed', 'degraded', 'failed', 'unknown', 'missed']).nullable().describe('null while it runs.'),
    responseTime: z
      .int()
      .nullable()
      .describe('Whole ms; null when there was no answer, or Tocsin was too busy to measure it.'),
    message: z.string().nullable().describe('Why it did not pass.'),
    resultLink: z
      .string()
      .nullable()
      .describe('A page of a result that did not pass, readable without a key for 30 days.'),
  })
  .meta({ id: 'TriggeredRun', description: 'A run that a call of a trigger started.' });
export type TriggeredRunBody = z.output<typeof triggeredRun>;

/** Characters of all variables of one call. */
const variablesMost = 32_768;

const callBody = z
  .strictObject({
    environmentVariables: z
      .array(
        z.strictObject({
          key: variableKey,
          value: z.string().max(8192),
          locked: z.boolean().exactOptional().describe('Without effect: all of them are secret.'),
          secret: z.boolean().exactOptional().describe('Without effect: all of them are secret.'),
        }),
      )
      .max(50)
      .refine((list) => new Set(list.map(({ key }) => key)).size === list.length, 'must not name a key twice')
      .refine(
        (list) => list.reduce((sum, { key, value }) => sum + key.length + value.length, 0) <= variablesMost,
        `must have at most ${variablesMost} characters together`,
      )
      .default([])
      .describe(
        'For the runs of this call only; they win over those of the check, its group and its account. Always secret.',
      ),
  })
  .prefault({})
  .meta({ id: 'TriggerCall', description: 'Options of a trigger call.' });

const waitQuery = z.strictObject({
  maxWaitSeconds: wholeNumber(1, 600).default(30).describe('How long to wait for the verdicts.'),
  quiet: flag.default(false).describe("Results are recorded but send no alerts and do not change the check's state."),
});

const groupId = pathNumber('The check group.');
const checkId = pathUuid('The check.');
const token = z.string().max(200).describe('The token of the trigger.');
const tag = 'Triggers';

const create = {
  method: 'POST',
  tag,
  permission: 'run',
  status: 201,
  headers: { 'idempotency-key': 'A repeat with the same key within 24 hours gets the same answer and starts nothing.' },
} as const;

const limits = {
  402: 'The account’s execution limit would be exceeded. No run was started.',
  404: 'It does not exist.',
} as const;

const call = {
  tag,
  permission: 'none',
  status: 200,
  description:
    'For CI. Requires no API key: the token grants access. Waits for the results. At most 10 calls per minute for each trigger.',
  query: waitQuery,
  ignoredQuery: ['deployment', 'deploymentId', 'environmentName', 'environmentUrl', 'repository', 'runLocation', 'sha'],
  alsoAnswers: {
    402: 'The account’s execution limit would be exceeded. No run was started.',
    404: 'Unknown trigger.',
    408: 'Time is up; the checks go on running.',
    409: 'Nothing was run: no check is activated.',
    429: 'More than ten calls in a minute.',
    503: 'At least one check failed or is unknown: same body as 200. With a `retry-after` header Tocsin could not run or finish the call, and the body is an error.',
  },
} as const;

const ofGroup = { path: '/v1/triggers/check-groups/{groupId}', params: z.object({ groupId }) } as const;
const ofCheck = { path: '/v1/triggers/checks/{checkId}', params: z.object({ checkId }) } as const;
const none = { 404: 'There is none.' } as const;

const runs = {
  method: 'GET',
  description:
    'The answer of a call names its id in `x-service-call-id`, and its runs in `x-service-run-ids` when there are at most 50.',
  tag,
  permission: 'run',
  query: pageQuery.extend({
    callId: pathUuid('').exactOptional().describe('Which call; absent = the newest.'),
  }),
  status: 200,
  response: z.array(triggeredRun),
  isPaged: true,
  alsoAnswers: none,
} as const;

/** By POST a call may bring variables. */
const posted = {
  method: 'POST',
  body: callBody,
  isAnyType: true,
  example: { environmentVariables: [{ key: 'SHOP_URL', value: 'https://preview.shop.example' }] },
} as const;

const callGroup = {
  ...call,
  path: '/check-groups/{groupId}/trigger/{token}',
  params: z.object({ groupId, token }),
  response: z.array(triggerOutcome),
} as const;

const callCheck = {
  ...call,
  path: '/checks/{checkId}/trigger/{token}',
  params: z.object({ checkId, token }),
  response: triggerOutcome,
} as const;

export const triggerOperations = {
  createGroupTrigger: {
    ...create,
    ...ofGroup,
    summary: 'Start all checks of a group',
    description:
      'Makes the trigger of the group if there is none, starts every activated check of the group at once, and answers without waiting. Each run counts toward the account’s execution limit.',
    response: groupTrigger,
    alsoAnswers: limits,
  },
  getGroupTrigger: {
    method: 'GET',
    ...ofGroup,
    summary: 'Read the trigger of a group',
    tag,
    permission: 'run',
    status: 200,
    response: groupTrigger,
    alsoAnswers: none,
  },
  deleteGroupTrigger: {
    method: 'DELETE',
    ...ofGroup,
    summary: 'Delete the trigger of a group: its token is dead',
    tag,
    permission: 'write',
    status: 204,
    alsoAnswers: none,
  },
  createCheckTrigger: {
    ...create,
    ...ofCheck,
    summary: 'Start a check',
    description: 'Makes the trigger of the check if there is none, starts the check, and answers without waiting.',
    response: checkTrigger,
    alsoAnswers: limits,
  },
  getCheckTrigger: {
    method: 'GET',
    ...ofCheck,
    summary: 'Read the trigger of a check',
    tag,
    permission: 'run',
    status: 200,
    response: checkTrigger,
    alsoAnswers: none,
  },
  deleteCheckTrigger: {
    method: 'DELETE',
    ...ofCheck,
    summary: 'Delete the trigger of a check: its token is dead',
    tag,
    permission: 'write',
    status: 204,
    alsoAnswers: none,
  },
  listGroupTriggerRuns: {
    ...runs,
    path: '/v1/triggers/check-groups/{groupId}/runs',
    params: z.object({ groupId }),
    summary: 'List the runs that a call of the trigger of a group started',
  },
  listCheckTriggerRuns: {
    ...runs,
    path: '/v1/triggers/checks/{checkId}/runs',
    params: z.object({ checkId }),
    summary: 'List the runs that a call of the trigger of a check started',
  },
  callGroupTrigger: {
    ...callGroup,
    method: 'GET',
    refusesHead: true,
    summary: 'Run a group by its token and wait for the verdicts',
  },
  postGroupTrigger: { ...callGroup, ...posted, summary: 'Run a group by its token, by POST' },
  callCheckTrigger: {
    ...callCheck,
    method: 'GET',
    refusesHead: true,
    summary: 'Run a check by its token and wait for the verdict',
  },
  postCheckTrigger: { ...callCheck, ...posted, summary: 'Run a check by its token, by POST' },
} as const satisfies Operations;
