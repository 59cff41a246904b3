// Tools that find checks: those that fail, and any others.
import { z } from 'zod';
import type { AnswerOf } from '#contract/operations.ts';
import { overviewStates } from '#domain/results/overview.ts';
import { picked, type ToolAnswer, type ToolContext, tool } from './tool.ts';

const filters = {
  search: z.string().max(200).exactOptional().describe('Part of the name, a tag or the URL.'),
  tag: z.string().max(200).exactOptional().describe('Only checks with this tag.'),
  groupId: z.int().min(1).exactOptional().describe('Only checks of this group.'),
  page: z.int().min(1).max(10_000).default(1),
};

/** Checks on a page. */
const perPage = 20;

export const listFailures = tool(
  {
    name: 'list_failures',
    title: 'List failing checks',
    description:
      'Lists the checks that fail or are degraded now, worst and latest first, with the reason. Start here when something is down. For the cause of one, call explain_failure with its checkId.',
    permission: 'read',
  },
  z.strictObject(filters),
  (context, input) =>
    listed(context, 'These checks fail or are degraded now.', { ...input, state: 'failing,degraded' }),
);

export const findChecks = tool(
  {
    name: 'find_checks',
    title: 'Find checks',
    description: 'Finds checks by text, tag, group or state, with their IDs, targets, uptime and last result.',
    permission: 'read',
  },
  z.strictObject({
    ...filters,
    state: z.array(z.enum(overviewStates)).min(1).exactOptional().describe('Only checks in these states.'),
  }),
  (context, { state, ...input }) =>
    listed(context, 'These checks match.', { ...input, ...(state && { state: state.join(',') }) }),
);

type Query = Readonly<Record<string, string | number>> & { readonly page: number };

async function listed({ call, pageUrl }: ToolContext, lead: string, query: Query): Promise<ToolAnswer> {
  const { body } = await call('getOverview', { query: { ...query, limit: perPage } });
  const { summary, rows, total, deliveries, nextMaintenance } = body;
  const more = total - (query.page - 1) * perPage - rows.length;
  const next = more > 0 ? ` ${more} more: narrow by search, tag or groupId, or read page ${query.page + 1}.` : '';
  return {
    lead: total === 0 ? 'No check matches.' : lead + next,
    data: {
      total,
      allChecks: summary,
      deliveries,
      nextMaintenance,
      checks: rows.map((row) => ({ ...shownRow(row), page: pageUrl(`/checks/${row.checkId}`) })),
    },
  };
}

/** The part of a row that says what is wrong. */
export function shownRow(row: AnswerOf<'getOverview'>['rows'][number]) {
  const { muted, inMaintenance, silent, acknowledgedBy, suppressedBy, flappingSince, availability } = row;
  return {
    ...picked(row, ['checkId', 'name', 'checkType', 'groupId', 'groupName', 'tags', 'state', 'since', 'incidentId']),
    target: row.url,
    lastResult: row.lastResult,
    uptime24h: availability.day.ratio,
    // Only what holds back alerts or explains why nobody reacts.
    ...(muted && { muted }),
    ...(inMaintenance && { inMaintenance }),
    ...(silent && { notifiesNobody: true }),
    ...(acknowledgedBy !== null && { acknowledgedBy }),
    ...(suppressedBy !== null && { suppressedBy }),
    ...(flappingSince !== null && { flappingSince }),
  };
}
