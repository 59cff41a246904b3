// Triggers in the API (spec §2.3, §4.3; decisions: Trigger of a check group).
import { z } from 'zod';
import { outcomes } from '#domain/results/result.ts';
import { day, flag, pathNumber, pathUuid, variableKey, wholeNumber } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';
import { pageQuery } from '../paging.ts';

const common = {
  id: z.int().describe('ID of the trigger.'),
  token: z.string().describe('Opaque token that starts the checks without an API key. See `/v1/triggers`.'),
  created_at: day.describe('Creation time.'),
  called_at: day.exactOptional().describe('Time of the last call.'),
  updated_at: day.exactOptional().describe('Time of the last update.'),
};

export const groupTrigger = z
  .strictObject({ ...common, groupId: z.int().describe('The check group of the trigger.') })
  .meta({
    id: 'CheckGroupTrigger',
    examples: [
      { id: 1, token: 'b2xqR9nVnS0mQ0tYc1kE5A', created_at: '2026-01-31', groupId: 4, called_at: '2026-01-31' },
    ],
  });
export type GroupTriggerBody = z.output<typeof groupTrigger>;

export const checkTrigger = z
  .strictObject({ ...common, checkId: z.uuid().describe('The check of the trigger.') })
  .meta({ id: 'CheckTrigger' });
export type CheckTriggerBody = z.output<typeof checkTrigger>;

export const triggerOutcome = z.strictObject({
  checkId: z.uuid(),
  name: z.string(),
  hasFailures: z.boolean(),
  responseTime: z.int().describe('In ms, rounded. 0 if there was no response or Tocsin was too busy to measure it.'),
  message: z.string().exactOptional().describe('Why the check failed. Absent if it did not.'),
  resultLink: z
    .string()
    .exactOptional()
    .describe('Page of the failed result. Anyone with the link can read it for 30 days without a key.'),
});

export const triggeredRun = z
  .strictObject({
    id: z.uuid().describe('ID of the run and of its result.'),
    checkId: z.uuid(),
    name: z.string().describe('Name of the check.'),
    runLocation: z.string(),
    state: z.enum(['running', 'ended']),
    outcome: z.enum(outcomes).nullable().describe('null while the run is in progress.'),
    responseTime: z
      .int()
      .nullable()
      .describe('In ms, rounded. null if there was no response or Tocsin was too busy to measure it.'),
    message: z.string().nullable().describe('Why the check did not pass.'),
    resultLink: z
      .string()
      .nullable()
      .describe('Page of a result that did not pass. Anyone with the link can read it for 30 days without a key.'),
  })
  .meta({ id: 'TriggeredRun', description: 'A run started by a call of a trigger.' });
export type TriggeredRunBody = z.output<typeof triggeredRun>;

/** Maximum number of characters of all variables of a call. */
const maxVariables = 32_768;

const callBody = z
  .strictObject({
    environmentVariables: z
      .array(
        z.strictObject({
          key: variableKey,
          value: z.string().max(8192),
          locked: z.boolean().exactOptional().describe('Has no effect: all of them are secret.'),
          secret: z.boolean().exactOptional().describe('Has no effect: all of them are secret.'),
        }),
      )
      .max(50)
      .refine((list) => new Set(list.map(({ key }) => key)).size === list.length, 'must not contain a key twice')
      .refine(
        (list) => list.reduce((sum, { key, value }) => sum + key.length + value.length, 0) <= maxVariables,
        `must have at most ${maxVariables} characters in total`,
      )
      .default([])
      .describe(
        'For the runs of this call only. Override those of the check, its group and its account. Always secret.',
      ),
  })
  .prefault({})
  .meta({ id: 'TriggerCall', description: 'Options of a trigger call.' });

const waitQuery = z.strictObject({
  maxWaitSeconds: wholeNumber(1, 600).default(30).describe('How long to wait for the results.'),
  quiet: flag.default(false).describe('Record results, but send no alerts and do not change the state of checks.'),
});

const groupId = pathNumber('ID of the check group.');
const checkId = pathUuid('ID of the check.');
const token = z.string().max(200).describe('Token of the trigger.');

const create = {
  method: 'POST',
  permission: 'run',
  status: 201,
  headers: {
    'idempotency-key': 'A repeated call with the same key within 24 hours gets the same response and starts no runs.',
  },
} as const;

const limits = {
  402: 'The account’s execution limit would be exceeded. No run was started.',
  404: 'Unknown check or group.',
} as const;

const call = {
  permission: 'none',
  description:
    'For CI. Requires no API key: the token grants access. Waits for the results. At most 10 calls per minute for each trigger.',
  query: waitQuery,
  ignoredQuery: ['deployment', 'deploymentId', 'environmentName', 'environmentUrl', 'repository', 'runLocation', 'sha'],
  alsoAnswers: {
    402: 'The account’s execution limit would be exceeded. No run was started.',
    404: 'Unknown trigger.',
    408: 'Timed out. The runs continue.',
    409: 'No run was started: no check is activated.',
    429: 'More than 10 calls per minute.',
    503: 'At least one check failed or is unknown: same body as 200. With a `retry-after` header Tocsin could not run or finish the call, and the body is an error.',
  },
} as const;

const ofGroup = { path: '/v1/triggers/check-groups/{groupId}', params: z.object({ groupId }) } as const;
const ofCheck = { path: '/v1/triggers/checks/{checkId}', params: z.object({ checkId }) } as const;
const none = { 404: 'There is no trigger.' } as const;

const runs = {
  method: 'GET',
  description:
    'The response to a call contains its ID in `x-service-call-id`, and the IDs of its runs in `x-service-run-ids` if there are at most 50.',
  permission: 'run',
  query: pageQuery.extend({
    callId: pathUuid('').exactOptional().describe('ID of the call. Default: the newest.'),
  }),
  response: z.array(triggeredRun),
  isPaged: true,
  alsoAnswers: none,
} as const;

/** With POST, a call may contain variables. */
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

export const triggerOperations = tagged('Triggers', {
  createGroupTrigger: {
    ...create,
    ...ofGroup,
    summary: 'Start all checks of a group',
    description:
      'Creates the trigger of the group if there is none, starts every activated check of the group, and responds without waiting. Each run counts toward the account’s execution limit.',
    response: groupTrigger,
    alsoAnswers: limits,
  },
  getGroupTrigger: {
    method: 'GET',
    ...ofGroup,
    summary: 'Get the trigger of a group',
    permission: 'run',
    response: groupTrigger,
    alsoAnswers: none,
  },
  deleteGroupTrigger: {
    method: 'DELETE',
    ...ofGroup,
    summary: 'Delete the trigger of a group and revoke its token',
    permission: 'write',
    status: 204,
    alsoAnswers: none,
  },
  createCheckTrigger: {
    ...create,
    ...ofCheck,
    summary: 'Start a check',
    description: 'Creates the trigger of the check if there is none, starts the check, and responds without waiting.',
    response: checkTrigger,
    alsoAnswers: limits,
  },
  getCheckTrigger: {
    method: 'GET',
    ...ofCheck,
    summary: 'Get the trigger of a check',
    permission: 'run',
    response: checkTrigger,
    alsoAnswers: none,
  },
  deleteCheckTrigger: {
    method: 'DELETE',
    ...ofCheck,
    summary: 'Delete the trigger of a check and revoke its token',
    permission: 'write',
    status: 204,
    alsoAnswers: none,
  },
  listGroupTriggerRuns: {
    ...runs,
    path: '/v1/triggers/check-groups/{groupId}/runs',
    params: z.object({ groupId }),
    summary: 'List the runs of a call of a group trigger',
  },
  listCheckTriggerRuns: {
    ...runs,
    path: '/v1/triggers/checks/{checkId}/runs',
    params: z.object({ checkId }),
    summary: 'List the runs of a call of a check trigger',
  },
  callGroupTrigger: {
    ...callGroup,
    method: 'GET',
    refusesHead: true,
    summary: 'Run a group by its token and wait for the results',
  },
  postGroupTrigger: { ...callGroup, ...posted, summary: 'Run a group by its token, with POST' },
  callCheckTrigger: {
    ...callCheck,
    method: 'GET',
    refusesHead: true,
    summary: 'Run a check by its token and wait for the result',
  },
  postCheckTrigger: { ...callCheck, ...posted, summary: 'Run a check by its token, with POST' },
} as const satisfies Untagged);
