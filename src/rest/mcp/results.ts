// Tools that read results.
import { z } from 'zod';
import type { AnswerOf } from '#contract/operations.ts';
import { resultPart } from '#contract/results/check-result.ts';
import { outcomes } from '#domain/results/result.ts';
import { picked, tool } from './tool.ts';

export const checkId = z.uuid().describe('ID of the check.');

type Result = AnswerOf<'getCheckResult'>;

export const listResults = tool(
  {
    name: 'list_results',
    title: 'List results of a check',
    description: 'Lists results of a check, newest first, without their evidence. For that, call read_result.',
    permission: 'read',
  },
  z.strictObject({
    checkId,
    outcome: z.enum(outcomes).exactOptional().describe('Only results with this outcome.'),
    from: z.iso.datetime({ offset: true }).exactOptional().describe('Only results that started at or after this time.'),
    to: z.iso.datetime({ offset: true }).exactOptional(),
    page: z.int().min(1).max(10_000).default(1),
  }),
  async ({ call }, { checkId, page, ...filters }) => {
    // Rows come with their bodies, of which an answer has none.
    const limit = 10;
    const { body, total } = await call('listCheckResults', { params: { checkId }, query: { ...filters, page, limit } });
    const more = (total ?? 0) - (page - 1) * limit - body.length;
    const next = more > 0 ? ` ${more} more: narrow by outcome, from and to, or read page ${page + 1}.` : '';
    return { lead: `Results of the check, newest first.${next}`, data: { total, results: body.map(resultSummary) } };
  },
);

export const readResult = tool(
  {
    name: 'read_result',
    title: 'Read a result with its evidence',
    description:
      'Reads one result: verdict, assertions, timings, request and response as far as they are stored. Without resultId, the newest result of the check.',
    permission: 'read',
  },
  z.strictObject({
    checkId,
    resultId: z.uuid().exactOptional().describe('ID of the result. Default: the newest.'),
    maxCharacters: z
      .int()
      .min(1000)
      .max(24_000)
      .default(12_000)
      .describe('Most characters of the answer. Long texts, such as response bodies, are shortened to fit.'),
  }),
  async ({ call, pageUrl }, { checkId, resultId, maxCharacters }) => {
    const result = resultId
      ? (await call('getCheckResult', { params: { checkId, checkResultId: resultId } })).body
      : (await call('listCheckResults', { params: { checkId }, query: { limit: 1 } })).body[0];
    if (result === undefined) return { lead: 'The check has no results yet.', data: null };
    const page = pageUrl(`/checks/${checkId}/results/${result.id}`);
    return { lead: 'The result with its evidence.', data: { ...withEvidence(result), page }, maxCharacters };
  },
);

/** A result without its evidence. */
export function resultSummary(result: Result) {
  const about = [
    'outcome',
    'startedAt',
    'runLocation',
    'responseTime',
    'reason',
    'message',
    'attempts',
    'runSource',
  ] as const;
  return { resultId: result.id, ...picked(result, about) };
}

/** A result with the part of its check type, in which unset members are left out. */
export function withEvidence(result: Result) {
  const part: unknown = result[resultPart(result.checkType)];
  return { name: result.name, checkType: result.checkType, ...resultSummary(result), evidence: withoutNulls(part) };
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([name, each]) => [name, withoutNulls(each)]),
  );
}
