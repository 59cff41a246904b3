// Check results on the wire (reference §4.7, decisions: What is kept of a result).
import { z } from 'zod';
import type { CheckType } from '#domain/checks/check.ts';
import { checkTypes } from '../checks/check.ts';
import { checkKinds, kindOf, type KindSchema } from '#checks/check-kinds.ts';
import { resultAsset } from '#checks/parts/scripted/schema.ts';
import { flag, instant, pathUuid, queryInstant, wholeNumber } from '#lib/schema/fields.ts';
import type { Operations } from '../operation.ts';
import { pageQuery } from '../paging.ts';

type PartName<Name extends string> = `${Uncapitalize<Name>}CheckResult`;

/** Which part the results of a check type have. */
export function resultPart(type: CheckType): keyof typeof parts {
  return partName(kindOf(type).schema.name) as keyof typeof parts;
}

function partName(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}CheckResult`;
}

const parts = Object.fromEntries(
  checkKinds.map(({ schema: { name, result } }) => [
    partName(name),
    z
      .strictObject(result)
      .meta({ id: `${name}CheckResult` })
      .nullable()
      .exactOptional(),
  ]),
  // The names are those of the kinds' schemas, which the type system cannot follow.
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
    outcome: z.enum(['passed', 'degraded', 'failed', 'unknown', 'missed']),
    reason: z.string().nullable().describe('Why it did not pass: a class of a closed list.'),
    message: z.string().nullable().describe('Why it did not pass, in a sentence.'),
    hasFailures: z.boolean(),
    hasErrors: z.boolean().describe('There is no verdict: the observer itself was at fault, or the slot was missed.'),
    isDegraded: z.boolean(),
    isCancelled: z.boolean(),
    overMaxResponseTime: z.boolean(),
    runLocation: z.string(),
    runSource: z.string(),
    startedAt: instant,
    stoppedAt: instant,
    created_at: instant,
    responseTime: z.int().describe('Whole ms; 0 when there was no answer, or Tocsin was too busy to measure it.'),
    checkRunId: z.uuid(),
    attempts: z.int().describe('Which attempt of its run it is, from 1.'),
    slots: z.int().describe('Number of scheduled runs it covers: more than 1 for consecutive missed runs.'),
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
  resultType: z.enum(['FINAL', 'ATTEMPT', 'ALL']).default('FINAL').describe('ATTEMPT = those that were retried.'),
  from: queryInstant.exactOptional(),
  to: queryInstant.exactOptional(),
};

const listQuery = pageQuery.extend(filters);

const cursorQuery = z.object({
  ...filters,
  limit: wholeNumber(1, 100).default(10),
  nextId: z.string().max(200).exactOptional().describe('Goes on where the last answer ended.'),
});

const checkId = pathUuid('Id of the check.');
const resultLink = z.string().max(1000).describe('The last part of a RESULT_LINK.');
const tag = 'Check results';

export const checkResultOperations = {
  listCheckResults: {
    method: 'GET',
    path: '/v1/check-results/{checkId}',
    summary: 'List the results of a check',
    description: 'Newest first. Without `from` and `to`: all retained entries.',
    tag,
    permission: 'read',
    params: z.object({ checkId }),
    query: listQuery,
    status: 200,
    response: z.array(checkResult),
    isPaged: true,
    alsoAnswers: { 404: 'Unknown check.' },
  },
  listCheckResultsV2: {
    method: 'GET',
    path: '/v2/check-results/{checkId}',
    ignoredQuery: ['fields'],
    summary: 'Walk through the results of a check',
    description: 'Newest first, by cursor: steady while new results come in.',
    tag,
    permission: 'read',
    params: z.object({ checkId }),
    query: cursorQuery,
    status: 200,
    response: z.strictObject({
      length: z.int(),
      entries: z.array(checkResult),
      nextId: z.string().nullable().describe('null at the end.'),
    }),
    alsoAnswers: { 404: 'Unknown check.' },
  },
  getCheckResult: {
    method: 'GET',
    path: '/v1/check-results/{checkId}/{checkResultId}',
    summary: 'Read a result',
    tag,
    permission: 'read',
    params: z.object({ checkId, checkResultId: pathUuid('Id of the result.') }),
    status: 200,
    response: checkResult,
    alsoAnswers: { 404: 'Unknown result, or it is no longer stored.' },
  },
  listResultAssets: {
    method: 'GET',
    path: '/v1/check-results/{checkId}/{checkResultId}/assets',
    summary: 'List the assets of a result',
    description: 'Screenshots, traces and videos that a browser check left, as its result names them.',
    tag,
    permission: 'read',
    params: z.object({ checkId, checkResultId: pathUuid('Id of the result.') }),
    status: 200,
    response: z.array(resultAsset),
    alsoAnswers: { 404: 'Unknown result, or it is no longer stored.' },
  },
  getResultAsset: {
    method: 'GET',
    path: '/v1/check-results/{checkId}/{checkResultId}/assets/{number}',
    summary: 'Download an asset of a result',
    description: 'The file itself, under the media type that the list tells. Its content is foreign.',
    tag,
    permission: 'read',
    params: z.object({ checkId, checkResultId: pathUuid('Id of the result.'), number: wholeNumber(1, 100) }),
    status: 200,
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
    tag,
    permission: 'none',
    params: z.object({ link: resultLink }),
    status: 200,
    media: 'text/html',
    alsoAnswers: {
      404: 'The link is invalid or expired, or the result is no longer stored.',
      410: 'The check was deleted, and its results with it.',
    },
  },
  showResultScreenshot: {
    method: 'GET',
    path: '/results/{link}/screenshots/{number}',
    summary: 'Show a screenshot of that page',
    description:
      'A picture that a browser check left, by its number among the assets of the result, as the page of a RESULT_LINK shows it.',
    tag,
    permission: 'none',
    params: z.object({ link: resultLink, number: wholeNumber(1, 100) }),
    status: 200,
    media: 'application/octet-stream',
    alsoAnswers: {
      404: 'The link is invalid or expired, or the screenshot is not stored.',
      503: 'Too many downloads in progress. Wait for the number of seconds in `retry-after`.',
    },
  },
} as const satisfies Operations;
