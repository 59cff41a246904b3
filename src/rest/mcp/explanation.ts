// The tool that explains why a check fails: what, since when, the evidence, the last change, and what else fails.
import { z } from 'zod';
import type { AnswerOf } from '#contract/operations.ts';
import { mayDo } from '#domain/accounts/api-key.ts';
import { ownerOf } from './changes.ts';
import { shownRow } from './failures.ts';
import { checkId, resultSummary, withEvidence } from './results.ts';
import { picked, type ToolContext, tool } from './tool.ts';

/** Failures that began this close to each other may have one cause, ms. */
const sameTimeMs = 15 * 60_000;

export const explainFailure = tool(
  {
    name: 'explain_failure',
    title: 'Explain a failure',
    description:
      'Explains why a check fails, or why it failed last: the state and since when, the evidence of the newest failed result, the last passed result, the last change of the check, who was notified, and which other checks fail since about the same time.',
    permission: 'read',
  },
  z.strictObject({ checkId }),
  async (context, { checkId }) => {
    const { call, pageUrl } = context;
    const params = { checkId };
    const [status, check, newest, failed, passed] = await Promise.all([
      call('getCheckStatus', { params }),
      call('getCheck', { params: { id: checkId }, query: { applyGroupSettings: true } }),
      call('listCheckResults', { params, query: { limit: 5 } }),
      call('listCheckResults', { params, query: { outcome: 'failed', limit: 1 } }),
      call('listCheckResults', { params, query: { outcome: 'passed', limit: 1 } }),
    ]);
    const { state, since } = status.body;
    const isWrong = state === 'failing' || state === 'degraded';
    const evidence = newest.body.find(({ outcome }) => outcome !== 'passed' && outcome !== 'missed') ?? failed.body[0];
    const [incident, managedBy, lastChange, others] = await Promise.all([
      lastIncident(context, checkId, status.body.incidentId),
      ownerOf(context, { checkId }),
      changesOf(context, check.body),
      isWrong ? failingWith(context, checkId, since) : null,
    ]);
    return {
      lead: isWrong
        ? 'The check does not pass. The newest evidence and what happened around its beginning:'
        : `The check is in the state ${state}. Its last failure, if one is stored:`,
      data: {
        check: { ...shownCheck(check.body), managedBy },
        state: shownStatus(status.body),
        evidence: evidence === undefined ? null : withEvidence(evidence),
        lastPassed: passed.body.map(resultSummary)[0] ?? null,
        recentResults: newest.body.map((result) =>
          picked(result, ['id', 'outcome', 'startedAt', 'runLocation', 'reason']),
        ),
        lastChange,
        incident,
        ...others,
        page: pageUrl(`/checks/${checkId}`),
      },
    };
  },
);

function shownCheck(check: AnswerOf<'getCheck'>) {
  return {
    checkId: check.id,
    ...picked(check, ['name', 'checkType', 'activated', 'muted', 'mutedUntil', 'groupId', 'locations', 'dependsOn']),
    ...picked(check, ['runbookUrl', 'notes', 'notifiesNobody', 'warnings']),
    ...('request' in check && { request: withoutBody(check.request) }),
  };
}

/** Settings of the request without its body and assertions, which can be long. */
function withoutBody(request: object): object {
  const { body: _, assertions: __, ...rest } = request as { body?: unknown; assertions?: unknown };
  return rest;
}

function shownStatus(status: AnswerOf<'getCheckStatus'>) {
  const about = ['acknowledgedBy', 'suppressedBy', 'flappingSince', 'sslDaysRemaining'] as const;
  return picked(status, ['state', 'since', 'reason', 'nextRunAt', ...about]);
}

/** The open incident or the last one, with its alerts and who was notified; null = there was none. */
async function lastIncident({ call }: ToolContext, checkId: string, openId: string | null) {
  const id = openId ?? (await call('listIncidents', { query: { checkId, limit: 1 } })).body[0]?.id;
  if (id === undefined) return null;
  const { alerts, ...incident } = (await call('getIncident', { params: { id } })).body;
  const { body, total } = await call('listDeliveries', { query: { checkId, from: incident.openedAt, limit: 10 } });
  return {
    ...incident,
    alerts: alerts.slice(0, 5).map((alert) => picked(alert, ['alertType', 'created_at', 'error'])),
    notifications: {
      total,
      newest: body.map((delivery) => picked(delivery, ['alertChannelId', 'alertType', 'status', 'createdAt', 'error'])),
    },
  };
}

/** When the check was edited; for admins also who changed what, of the check and its group. */
async function changesOf({ call, caller }: ToolContext, { id, groupId, created_at, updated_at }: AnswerOf<'getCheck'>) {
  const stamps = { createdAt: created_at, lastEditedAt: updated_at };
  if (!mayDo(caller.role, 'admin')) return { ...stamps, editedBy: 'only keys with the role admin may read this' };
  const entriesOf = async (resource: 'check' | 'check-group', resourceId: string) => {
    const { body } = await call('listAuditLog', { query: { resource, resourceId, limit: 3 } });
    return body.entries.map((entry) => ({
      ...picked(entry, ['at', 'actor', 'operation', 'resource', 'via']),
      fields: entry.changes[0]?.fields,
    }));
  };
  const ofGroup = groupId === null ? [] : await entriesOf('check-group', String(groupId));
  return { ...stamps, newest: [...(await entriesOf('check', id)), ...ofGroup] };
}

/** Other checks that fail, first those that began to at about the same time. */
async function failingWith({ call }: ToolContext, checkId: string, since: string | null) {
  const { body } = await call('getOverview', { query: { state: 'failing,degraded', limit: 200 } });
  const others = body.rows.filter((row) => row.checkId !== checkId);
  const began = Date.parse(since ?? '');
  const isClose = (row: (typeof others)[number]): boolean =>
    Math.abs(Date.parse(row.since ?? '') - began) <= sameTimeMs;
  const close = others.filter(isClose);
  return {
    otherFailingChecks: Math.max(0, body.total - 1),
    beganWithin15Minutes: { total: close.length, checks: close.slice(0, 10).map(shownRow) },
  };
}
