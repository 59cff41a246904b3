// Check sessions in the API: start stored checks now and follow their runs (reference §4.7).
import { z } from 'zod';
import { checkSessionStatuses, checksOfCall } from '#domain/sessions/check-session.ts';
import { instant, pathUuid, wholeNumber } from '#lib/schema/fields.ts';
import { checkTypes } from '../checks/check.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged } from '../operation.ts';
import { checkResult } from '../results/check-result.ts';

const tags = z.array(z.array(z.string().min(1).max(200)).min(1).max(100)).max(100);

/** Which checks to start. */
export const checkTarget = z.strictObject({
  matchTags: tags
    .nullish()
    .describe('Each list names tags that a check or its group must have; one of the lists must match.'),
  checkId: z.array(z.uuid()).max(checksOfCall).nullish().describe('IDs of checks. With `matchTags`, both must match.'),
});

const checkSession = z
  .strictObject({
    checkSessionId: z.uuid(),
    checkSessionLink: z.string().describe('Page of the check.'),
    checkId: z.uuid(),
    checkType: z.enum(checkTypes),
    name: z.string(),
    status: z
      .enum(checkSessionStatuses)
      .describe('STARTED and PROGRESS… until every run has ended. A run without a verdict counts as FAILED.'),
    startedAt: instant,
    stoppedAt: instant.nullable().describe('null until every run has ended.'),
    timeElapsed: z.int().describe('In ms.'),
    runLocations: z.array(z.string()),
    runSource: z.literal('TRIGGER_API'),
    openRuns: z.int().describe('Runs that wait or run. They also continue if the session is cancelled.'),
    results: z.array(checkResult).describe('Final results of the runs that have ended.'),
  })
  .meta({ id: 'CheckSession', description: 'A check that was started on demand, with its runs.' });
export type CheckSessionBody = z.output<typeof checkSession>;

export const sessionWait = z.object({
  maxWaitSeconds: wholeNumber(1, 30).default(30).describe('How long to wait for its end.'),
});

const unknown = { 404: 'Unknown check session, or it is no longer stored.' } as const;
const params = z.object({ id: pathUuid('ID of the check session.') });
const sessions = z.strictObject({ sessions: z.array(checkSession) }).meta({ id: 'CheckSessions' });

const trigger = {
  method: 'POST',
  summary: 'Run checks now',
  description: `Starts the matching activated checks at their locations, or all activated checks without a target: at most ${checksOfCall}. The runs are recorded, change the state of the checks, send alerts, and count toward the account’s execution limit. If not all can start, none does.`,
  permission: 'run',
  body: z.strictObject({
    target: checkTarget.nullish(),
    refreshCache: z.boolean().nullish().describe('Accepted for older clients. Has no effect.'),
  }),
  example: { target: { matchTags: [['production', 'shop']] } },
  status: 201,
  response: sessions,
  alsoAnswers: {
    402: 'The execution limit of the account does not allow all runs.',
    404: 'No activated check matches.',
    429: 'Too many triggered runs are waiting or running.',
  },
} as const;

const usual = usualOperations({ path: '/v2/check-sessions', params, shown: checkSession, unknown: unknown[404] });
const get = { ...usual.get, summary: 'Get a check session' } as const;

const completion = {
  ...usual.get,
  path: '/v2/check-sessions/{id}/completion',
  summary: 'Wait for the end of a check session',
  query: sessionWait,
  alsoAnswers: { ...unknown, 408: 'The session is still running: call this operation again.' },
} as const;

const versionOne = { isDeprecated: true } as const;

export const checkSessionOperations = tagged('Check sessions', {
  triggerCheckSessions: { ...trigger, path: '/v2/check-sessions/trigger' },
  getCheckSession: get,
  waitForCheckSession: completion,
  triggerCheckSessionsV1: { ...trigger, ...versionOne, path: '/v1/check-sessions/trigger' },
  getCheckSessionV1: { ...get, ...versionOne, path: '/v1/check-sessions/{id}' },
  waitForCheckSessionV1: { ...completion, ...versionOne, path: '/v1/check-sessions/{id}/completion' },
  cancelCheckSession: {
    ...usual.update,
    method: 'POST',
    path: '/v1/check-sessions/{id}/cancel',
    summary: 'Cancel a check session',
    description: 'Stops waiting for it. `openRuns` of its runs continue and are recorded.',
    permission: 'run',
  },
});
