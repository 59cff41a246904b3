// Test sessions in the API: run checks once, without an effect on states and alerts (reference §4.7).
import { z } from 'zod';
import {
  runsOfSession,
  sessionsKept,
  testSessionProviders,
  testSessionStatuses,
} from '#domain/sessions/test-session.ts';
import { instant, pathUuid, queryInstant, variableKey, wholeNumber } from '#lib/schema/fields.ts';
import { checkTypes } from '../checks/check.ts';
import { retryStrategy } from '../checks/retry-strategy.ts';
import { cursorPage } from '../paging.ts';
import { usualOperations } from '../usual-operations.ts';
import { tagged } from '../operation.ts';
import { checkResult } from '../results/check-result.ts';
import { checkTarget, sessionWait } from './check-session.ts';

const note = z.string().max(2000).nullish();

/** What a client says about the code that it tests. */
export const testMetadata = z.strictObject({
  environment: note,
  repoUrl: note,
  commitId: note,
  commitOwner: note,
  commitMessage: note,
  branchName: note,
});

/** Where a session runs: the code of a location, or an object that names it. */
export const runLocation = z
  .union([
    z.string().min(1).max(100),
    z.strictObject({ type: z.literal('PUBLIC'), region: z.string().min(1).max(100) }),
    z.strictObject({
      type: z.literal('PRIVATE'),
      slugName: z.string().min(1).max(100),
      id: z.string().max(100).nullish(),
    }),
  ])
  .describe('Code of a run location, or `{type: "PUBLIC", region}` or `{type: "PRIVATE", slugName}`.');

const testStatus = z.enum(testSessionStatuses);

const listedResult = z
  .strictObject({
    testSessionResultId: z.uuid(),
    testSessionResultLink: z.string().describe('Page of the result, without a key, for 30 days.'),
    checkId: z.uuid().nullable().describe('null = a definition that is not saved.'),
    checkType: z.enum(checkTypes),
    name: z.string(),
    logicalId: z.string().nullable().describe('Name of the definition in the client’s project.'),
    runLocation: z.string(),
    resultType: z.literal('FINAL'),
    status: testStatus,
    hasErrors: z.boolean().describe('The run ended without a verdict.'),
    hasFailures: z.boolean(),
    isDegraded: z.boolean(),
    aborted: z.boolean().describe('The run was cancelled.'),
  })
  .meta({ id: 'TestSessionResult' });

const testSession = z
  .strictObject({
    testSessionId: z.uuid(),
    testSessionLink: z.string().describe('Page of the session, without a key, for 30 days.'),
    name: z.string(),
    status: testStatus.describe('A run without a verdict counts as FAILED.'),
    startedAt: instant,
    stoppedAt: instant.nullable(),
    timeElapsed: z.int().describe('In ms.'),
    metadata: testMetadata,
    results: z.array(listedResult).describe('In the order of the definitions.'),
  })
  .meta({ id: 'TestSession', description: 'Checks that run once, without an effect on states and alerts.' });
export type TestSessionBody = z.output<typeof testSession>;

const listEntry = z
  .strictObject({
    id: z.uuid(),
    accountId: z.uuid(),
    name: z.string(),
    provider: z.enum(testSessionProviders),
    status: testStatus,
    region: z.string(),
    running: z.array(z.string()).describe('Names of the checks that wait or run.'),
    passed: z.array(z.string()),
    failed: z.array(z.string()),
    cancelled: z.array(z.string()),
    branchName: z.string().nullable(),
    commitOwner: z.string().nullable(),
    commitId: z.string().nullable(),
    environment: z.string().nullable(),
    startedAt: instant,
    stoppedAt: instant.nullable(),
    created_at: instant,
  })
  .meta({ id: 'TestSessionEntry' });
export type TestSessionEntryBody = z.output<typeof listEntry>;

/** One value or a list, also with the brackets that some clients append to its name. */
const several = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(item).max(100).exactOptional(),
  );

const params = z.object({ id: pathUuid('ID of the test session.') });
const unknown = { 404: 'Unknown test session, or it is no longer stored.' } as const;
const usual = usualOperations({ path: '/v1/test-sessions', params, shown: testSession, unknown: unknown[404] });

export const testSessionOperations = tagged('Test sessions', {
  listTestSessions: {
    method: 'GET',
    path: '/v1/test-sessions',
    ignoredQuery: ['users', 'noUsers', 'errorGroupId'],
    summary: 'List recorded test sessions',
    description: `Newest first, with a cursor. Sessions are stored for 30 days, at most ${sessionsKept} per account.`,
    permission: 'read',
    query: z.object({
      from: queryInstant.exactOptional(),
      to: queryInstant.exactOptional(),
      statuses: several(testStatus),
      providers: several(z.enum(testSessionProviders)),
      branches: several(z.string().max(2000)),
      textSearch: z.string().min(3).max(200).exactOptional().describe('Part of the name or metadata.'),
      limit: wholeNumber(1, 100).default(20),
      nextId: z.string().max(200).exactOptional().describe('Cursor from the previous response.'),
    }),
    response: cursorPage(listEntry, z.string()),
  },
  triggerTestSession: {
    method: 'POST',
    path: '/v1/test-sessions/trigger',
    summary: 'Test stored checks',
    description: `Runs the matching checks once at one location, at most ${runsOfSession}. The results are stored with the session only: they change no state and send no alerts. Each run counts toward the account’s execution limit; its retries do not.`,
    permission: 'run',
    body: z.strictObject({
      name: z.string().trim().min(1).max(200),
      runLocation,
      target: checkTarget
        .extend({ allowDeactivated: z.boolean().nullish().describe('Also test deactivated checks.') })
        .nullish()
        .describe('Absent = all activated checks.'),
      environmentVariables: z
        .array(z.strictObject({ key: variableKey, value: z.string().max(32_768) }))
        .max(50)
        .nullish()
        .describe('Override those of the checks. Their values are secret.'),
      retryStrategy: retryStrategy.nullish().describe('null = no retries; those of the checks do not apply.'),
      refreshCache: z.boolean().nullish().describe('Accepted for older clients. Has no effect.'),
      metadata: testMetadata.nullish(),
    }),
    example: { name: 'Before the release', runLocation: 'local', target: { matchTags: [['shop']] } },
    status: 201,
    response: testSession,
    alsoAnswers: {
      402: 'The execution limit of the account does not allow all runs.',
      404: 'No check matches.',
      429: `More than ${runsOfSession} runs of test sessions of the account would wait or run.`,
    },
  },
  getTestSession: { ...usual.get, summary: 'Get a test session' },
  waitForTestSession: {
    ...usual.get,
    path: '/v1/test-sessions/{id}/completion',
    summary: 'Wait for the end of a test session',
    query: sessionWait,
    alsoAnswers: { ...unknown, 408: 'The session is still running: call this operation again.' },
  },
  cancelTestSession: {
    ...usual.update,
    method: 'POST',
    path: '/v1/test-sessions/{id}/cancel',
    summary: 'Cancel a test session',
    description: 'Cancels the runs that have not ended. An ended session stays as it is.',
    permission: 'run',
    body: z
      .strictObject({ sequenceId: z.uuid().nullish().describe('Cancel only the run with this result ID.') })
      .nullish(),
  },
  getTestSessionResult: {
    method: 'GET',
    path: '/v1/test-sessions/{id}/results/{resultId}',
    summary: 'Get a result of a test session',
    permission: 'read',
    params: params.extend({ resultId: pathUuid('ID of the result.') }),
    response: checkResult,
    alsoAnswers: { 404: 'Unknown session or result, or the run has not ended.' },
  },
  showTestSession: {
    method: 'GET',
    path: '/test-sessions/{link}',
    summary: 'Show a test session as a page',
    description: 'The `testSessionLink` of a session. Anyone with the link can read it for 30 days without a key.',
    permission: 'none',
    params: z.object({ link: z.string().max(1000).describe('The last path segment of the link.') }),
    media: 'text/html',
    alsoAnswers: { 404: 'The link is invalid or expired, or the session is no longer stored.' },
  },
});
