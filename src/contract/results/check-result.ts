// Check results in the API (reference §4.7, decisions: What is kept of a result).
import { z } from 'zod';
import type { CheckType } from '#domain/checks/check.ts';
import { checkTypes } from '../checks/check.ts';
import { checkSchemas, type KindSchema, schemaOf } from '#checks/check-schemas.ts';
import { resultAsset } from '#checks/parts/scripted/schema.ts';
import { outcomes } from '#domain/results/result.ts';
import { flag, instant, pathUuid, queryInstant, wholeNumber } from '#lib/schema/fields.ts';
import { tagged, type Untagged } from '../operation.ts';
import { cursorPage, pageQuery } from '../paging.ts';

type PartName<Name extends string> = `${Uncapitalize<Name>}CheckResult`;

/** The member of the response for each check type. */
export function resultPart(type: CheckType): keyof typeof parts {
  return partName(schemaOf(type).name) as keyof typeof parts;
}

function partName(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}CheckResult`;
}

const parts = Object.fromEntries(
  checkSchemas.map(({ name, result }) => [
    partName(name),
    z
      .strictObject(result)
      .meta({ id: `${name}CheckResult` })
      .nullable()
      .exactOptional(),
  ]),
  // The type system cannot derive the names, which are those of the kinds' schemas.
) as unknown as {
  [Schema in KindSchema as PartName<Schema['name']>]: z.ZodExactOptional<
    z.ZodNullable<z.ZodObject<Schema['result'], z.core.$strict>>
  >;
};

export const checkResult = z
  .strictObject({
    id: z.uuid(),
    name: z.string().describe('Name of the check.'),
    checkId: z.uuid(),
    checkType: z.enum(checkTypes),
    outcome: z.enum(outcomes),
    reason: z.string().nullable().describe('Why the check did not pass: an error class from a closed list.'),
    message: z.string().nullable().describe('Why the check did not pass, in a sentence.'),
    hasFailures: z.boolean(),
    hasErrors: z.boolean().describe('There is no verdict: the run was missed, or Tocsin itself had a problem.'),
    isDegraded: z.boolean(),
    isCancelled: z.boolean(),
    overMaxResponseTime: z.boolean(),
    runLocation: z.string(),
    runSource: z.string(),
    startedAt: instant,
    stoppedAt: instant,
    created_at: instant,
    responseTime: z.int().describe('In ms, rounded. 0 if there was no response or Tocsin was too busy to measure it.'),
    checkRunId: z.uuid(),
    attempts: z.int().describe('Number of the attempt in its run, starting at 1.'),
    slots: z
      .int()
      .describe('Number of scheduled runs that the result covers. More than 1 for consecutive missed runs.'),
    resultType: z.enum(['FINAL', 'ATTEMPT']),
    ...parts,
  })
  .meta({
    id: 'CheckResult',
    description: 'The outcome of one attempt. One member depends on the check type; it is null for a missed run.',
  });
export type CheckResultBody = z.output<typeof checkResult>;

const filters = {
  location: z.string().max(100).exactOptional(),
  checkType: z.enum(checkTypes).exactOptional(),
  hasFailures: flag.exactOptional(),
  outcome: z.enum(outcomes).exactOptional(),
  resultType: z.enum(['FINAL', 'ATTEMPT', 'ALL']).default('FINAL').describe('ATTEMPT = attempts that were retried.'),
  from: queryInstant.exactOptional(),
  to: queryInstant.exactOptional(),
};

const listQuery = pageQuery.extend(filters);

const cursorQuery = z.object({
  ...filters,
  limit: wholeNumber(1, 100).default(10),
  nextId: z.string().max(200).exactOptional().describe('Cursor from the previous response.'),
});

const checkId = pathUuid('ID of the check.');
const resultLink = z.string().max(1000).describe('The last path segment of a RESULT_LINK.');

export const checkResultOperations = tagged('Check results', {
  listCheckResults: {
    method: 'GET',
    path: '/v1/check-results/{checkId}',
    summary: 'List the results of a check',
    description: 'Newest first. Without `from` and `to`: all retained results.',
    permission: 'read',
    params: z.object({ checkId }),
    query: listQuery,
    response: z.array(checkResult),
    isPaged: true,
    alsoAnswers: { 404: 'Unknown check.' },
  },
  listCheckResultsV2: {
    method: 'GET',
    path: '/v2/check-results/{checkId}',
    ignoredQuery: ['fields'],
    summary: 'List the results of a check with a cursor',
    description: 'Newest first. New results do not shift the pages.',
    permission: 'read',
    params: z.object({ checkId }),
    query: cursorQuery,
    response: cursorPage(checkResult, z.string()),
    alsoAnswers: { 404: 'Unknown check.' },
  },
  getCheckResult: {
    method: 'GET',
    path: '/v1/check-results/{checkId}/{checkResultId}',
    summary: 'Get a result',
    permission: 'read',
    params: z.object({ checkId, checkResultId: pathUuid('ID of the result.') }),
    response: checkResult,
    alsoAnswers: { 404: 'Unknown result, or it is no longer stored.' },
  },
  listResultAssets: {
    method: 'GET',
    path: '/v1/check-results/{checkId}/{checkResultId}/assets',
    summary: 'List the assets of a result',
    description: 'Screenshots, traces and videos of a browser check, as listed in the result.',
    permission: 'read',
    params: z.object({ checkId, checkResultId: pathUuid('ID of the result.') }),
    response: z.array(resultAsset),
    alsoAnswers: { 404: 'Unknown result, or it is no longer stored.' },
  },
  getResultAsset: {
    method: 'GET',
    path: '/v1/check-results/{checkId}/{checkResultId}/assets/{number}',
    summary: 'Download an asset of a result',
    description:
      'The file with the media type given in the list. Do not trust its content: the checked site can influence it.',
    permission: 'read',
    params: z.object({ checkId, checkResultId: pathUuid('ID of the result.'), number: wholeNumber(1, 100) }),
    media: 'application/octet-stream',
    alsoAnswers: {
      404: 'Unknown result or asset, or it is no longer stored.',
      503: 'Too many downloads in progress. Wait for the number of seconds in `retry-after`.',
    },
  },
  showResult: {
    method: 'GET',
    path: '/results/{link}',
    summary: 'Show a result as a page',
    description: 'The RESULT_LINK of an alert. Anyone with the link can read this result for 30 days without a key.',
    permission: 'none',
    params: z.object({ link: resultLink }),
    media: 'text/html',
    alsoAnswers: {
      404: 'The link is invalid or expired, or the result is no longer stored.',
      410: 'The check and its results were deleted.',
    },
  },
  getLinkedResult: {
    method: 'GET',
    path: '/results/{link}/result',
    summary: 'Get the result of a RESULT_LINK',
    description: 'The data of its page, without a key. `scripts` and `jobLog` of API checks are null.',
    permission: 'none',
    params: z.object({ link: resultLink }),
    response: z.strictObject({
      result: checkResult,
      pingBody: z.string().describe('Body of the ping of a heartbeat.'),
      localStartedAt: z.string().describe('startedAt in the time zone of the account: `2026-11-27 15:30:12 CET`.'),
      localExpiresAt: z.string().describe('When the link expires, in the same form.'),
    }),
    alsoAnswers: { 404: 'The link is invalid or expired, or the result is no longer stored.' },
  },
  showResultScreenshot: {
    method: 'GET',
    path: '/results/{link}/screenshots/{number}',
    summary: 'Show a screenshot of a result page',
    description:
      'A screenshot of a browser check, by its position in the assets of the result, for the page of a RESULT_LINK.',
    permission: 'none',
    params: z.object({ link: resultLink, number: wholeNumber(1, 100) }),
    media: 'application/octet-stream',
    alsoAnswers: {
      404: 'The link is invalid or expired, or the screenshot is not stored.',
      503: 'Too many downloads in progress. Wait for the number of seconds in `retry-after`.',
    },
  },
} as const satisfies Untagged);
