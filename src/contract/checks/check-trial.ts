// Trials of checks in the API: a definition runs once without being saved.
import { z } from 'zod';
import { assetTypes } from '#domain/results/asset.ts';
import { instant, pathUuid, wholeNumber } from '#lib/schema/fields.ts';
import { scriptProgress } from '#checks/parts/scripted/schema.ts';
import { tagged } from '../operation.ts';
import { checkResult } from '../results/check-result.ts';
import { anyCheckCreate } from './check.ts';

const screenshots = z.array(
  z.strictObject({
    name: z.string(),
    contentType: z.enum(Object.keys(assetTypes) as (keyof typeof assetTypes)[]),
    content: z.base64().describe('The picture. Do not trust it: the checked site can influence it.'),
  }),
);

const slice = z
  .strictObject({
    number: z.int().describe('From 1.'),
    isFirst: z
      .boolean()
      .describe('Whether the run begins with it: discard earlier ones, which are those of a process that died.'),
    ...scriptProgress,
    screenshots: screenshots.describe('Screenshots that the script took, up to 2 MB per trial.'),
  })
  .meta({ id: 'CheckTrialProgress', description: 'What a script has reported since the previous one.' });

const checkTrial = z
  .strictObject({
    id: z.uuid(),
    status: z.enum(['waiting', 'running', 'ended']),
    location: z.string().describe('Code of the location where it runs.'),
    created_at: instant,
    result: checkResult
      .nullable()
      .describe('null until it has ended. Its `id` is that of the trial: it is not stored as a result.'),
    screenshots: screenshots.describe('Of browser checks, up to 2 MB. Traces and videos are not stored.'),
    progress: z
      .array(slice)
      .describe('What a script has reported while it runs, after the number `after`. Empty once it has ended.'),
  })
  .meta({ id: 'CheckTrial', description: 'A definition of a check that runs once without being saved.' });
export type CheckTrialBody = z.output<typeof checkTrial>;

const params = z.object({ id: pathUuid('ID of the trial.') });
const gone = { 404: 'Unknown trial. An ended one is deleted when it is read, any other after ten minutes.' } as const;

export const checkTrialOperations = tagged('Checks', {
  createCheckTrial: {
    method: 'POST',
    path: '/v1/check-trials',
    summary: 'Run a check once without saving it',
    description:
      'Runs at the first available location of the check, with the variables, group settings and limits of a saved check. It sends no alerts and stores no result. Counts as a run toward the account’s execution limit.',
    permission: 'write',
    body: z.strictObject({
      check: anyCheckCreate.describe('The definition, as for creating a check.'),
      checkId: z
        .uuid()
        .exactOptional()
        .describe('The stored check that the definition changes: masked and omitted values are taken from it.'),
    }),
    example: {
      check: { checkType: 'API', name: 'Shop', request: { method: 'GET', url: 'https://shop.example/health' } },
    },
    status: 201,
    response: checkTrial,
    alsoAnswers: {
      402: 'The account’s execution limit is reached.',
      404: 'Unknown check.',
      409: 'A heartbeat check is not run.',
      429: 'Five trials of the account are waiting or running.',
      503: 'No process runs checks at the location.',
    },
  },
  getCheckTrial: {
    method: 'GET',
    path: '/v1/check-trials/{id}',
    summary: 'Get a trial, and delete it if it has ended',
    permission: 'write',
    params,
    query: z.object({
      waitSeconds: wholeNumber(0, 25).default(0).describe('How long to wait for its end. Only the first reader waits.'),
      after: wholeNumber(0, 1_000_000)
        .optional()
        .describe('Also wait for progress after this number, and return it. Default: no progress.'),
    }),
    refusesHead: true,
    response: checkTrial,
    alsoAnswers: gone,
  },
  deleteCheckTrial: {
    method: 'DELETE',
    path: '/v1/check-trials/{id}',
    summary: 'Delete a trial',
    description: 'A running one ends unread.',
    permission: 'write',
    params,
    status: 204,
    alsoAnswers: gone,
  },
});
