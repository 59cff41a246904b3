// Test sessions, and the files that they need, as the `checkly` command line sends and follows them.
import { z } from 'zod';
import { longestLogicalId } from '#domain/projects/resource.ts';
import { runsOfSession } from '#domain/sessions/test-session.ts';
import { pathUuid, variableKey, wholeNumber } from '#lib/schema/fields.ts';
import { jsonObject } from '#lib/schema/json.ts';
import { retryStrategy } from '../checks/retry-strategy.ts';
import { tagged, type Untagged } from '../operation.ts';
import { runLocation } from '../sessions/test-session.ts';
import { cliProject, cliProjectOperations } from './cli-project.ts';
import { scriptFileOperations } from '../checks/script-file.ts';

/** A name that becomes a level of a topic. */
const level = z.string().regex(/^[\w.~:-]{1,100}$/, 'must have 1 to 100 letters, digits or any of . _ ~ : -');
const note = z.string().max(2000).nullish();

const common = {
  name: z.string().trim().min(1).max(200),
  runLocation,
  shouldRecord: z.boolean().default(false),
  environment: note,
  repoInfo: z
    .looseObject({ repoUrl: note, commitId: note, commitOwner: note, commitMessage: note, branchName: note })
    .nullish(),
  refreshCache: z.boolean().nullish(),
};

const sequenceIds = z.record(z.string(), z.uuid());

const trigger = z.looseObject({
  ...common,
  checkRunSuiteId: level,
  targetTags: z
    .array(z.array(z.string().max(200)).max(100))
    .max(100)
    .nullish(),
  checkId: z.array(z.string().max(100)).max(runsOfSession).nullish(),
  environmentVariables: z
    .array(z.looseObject({ key: variableKey, value: z.string().max(32_768) }))
    .max(50)
    .nullish(),
  testRetryStrategy: retryStrategy.nullish(),
});

const run = z.looseObject({
  ...common,
  checkRunJobs: z
    .array(
      z.looseObject({
        logicalId: z.string().min(1).max(longestLogicalId),
        sourceInfo: z.looseObject({
          checkRunSuiteId: level,
          checkRunId: level,
          updateSnapshots: z.boolean().nullish(),
        }),
        group: jsonObject.nullish(),
        testRetryStrategy: retryStrategy.nullish(),
      }),
    )
    .min(1)
    .max(runsOfSession),
  project: z.looseObject({ logicalId: z.string().min(1).max(longestLogicalId) }),
  sharedFiles: cliProject.shape.sharedFiles,
});
export type CliTestJob = z.output<typeof run>['checkRunJobs'][number];

const params = z.object({ id: pathUuid('ID of the test session.') });
const { deployCliProject } = cliProjectOperations;
const isPrivate = true;

export const cliTestSessionOperations = tagged('Test sessions', {
  triggerCliTestSession: {
    method: 'POST',
    path: '/next/test-sessions/trigger',
    summary: 'Test stored checks',
    permission: 'run',
    body: trigger,
    status: 201,
    response: z.strictObject({
      checks: z.array(z.looseObject({ id: z.uuid(), name: z.string() })),
      testSessionId: z.uuid(),
      testResultIds: sequenceIds,
      sequenceIds,
    }),
    alsoAnswers: { 403: 'No check matches.' },
    isPrivate,
  },
  runCliTestSession: {
    method: 'POST',
    path: '/v1/test-sessions/run',
    summary: 'Test definitions that are not saved',
    permission: 'write',
    body: run,
    maxBody: deployCliProject.maxBody,
    status: 202,
    response: z.strictObject({
      schedulingId: z.uuid(),
      testSessionId: z.uuid(),
      testResultIds: sequenceIds,
      sequenceIds,
    }),
    isPrivate,
  },
  uploadCliBundle: {
    method: 'POST',
    path: '/next/checkly-storage/upload-code-bundle',
    summary: 'Ignore the files of a project',
    description: 'Sent before each test, but used only by Playwright suites, which cannot be run.',
    permission: 'write',
    maxBytesBody: 8 * 1_048_576,
    response: z.strictObject({ key: z.string() }),
    isPrivate,
  },
  awaitCliTestScheduling: {
    method: 'GET',
    path: '/v1/test-sessions/scheduling/{id}/completion',
    summary: 'Wait until the runs of a test session are queued',
    permission: 'read',
    params,
    query: z.object({ maxWaitSeconds: wholeNumber(1, 30).default(30) }),
    response: z.strictObject({
      schedulingId: z.uuid(),
      testSessionId: z.uuid(),
      status: z.literal('SUCCEEDED').describe('They are queued when the session is created.'),
      checksTotal: z.int(),
      error: z.null(),
      createdAt: z.string(),
      startedAt: z.string(),
      endedAt: z.string(),
    }),
    isPrivate,
  },
  getCliTestSessionLink: {
    method: 'GET',
    path: '/next/test-sessions/{id}/link',
    summary: 'Get the link to a test session',
    permission: 'read',
    params,
    response: z.strictObject({ link: z.string() }),
    isPrivate,
  },
  getCliTestResultLinks: {
    method: 'GET',
    path: '/next/test-sessions/{id}/results/{resultId}/links',
    summary: 'Get the links to a result of a test session',
    permission: 'read',
    params: params.extend({ resultId: pathUuid('ID of the result.') }),
    response: z.strictObject({
      testResultLink: z.string(),
      testTraceLinks: z.array(z.string()),
      videoLinks: z.array(z.string()),
      screenshotLinks: z.array(z.string()),
    }),
    isPrivate,
  },
});

const { uploadScriptFile, getScriptFile } = scriptFileOperations;

export const cliStorageOperations = tagged('Checks', {
  uploadCliSnapshot: { ...uploadScriptFile, path: '/next/checkly-storage/upload', isPrivate: true },
  downloadCliSnapshot: {
    method: 'POST',
    path: '/next/checkly-storage/download',
    summary: getScriptFile.summary,
    permission: getScriptFile.permission,
    body: z.strictObject({ key: z.string().max(100) }),
    media: getScriptFile.media,
    alsoAnswers: getScriptFile.alsoAnswers,
    isPrivate: true,
  },
} as const satisfies Untagged);
