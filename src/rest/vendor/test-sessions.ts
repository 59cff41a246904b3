// Test sessions and their files for the `checkly` command line, to which results come over MQTT.
import { Refusal } from '#actions/refusal.ts';
import type { TestDefinition, TestSessionActions, TestSessionInput } from '#actions/sessions/test-sessions.ts';
import type { InputOf } from '#contract/operations.ts';
import type { CliResource } from '#contract/vendor/cli-project.ts';
import type { CliTestJob } from '#contract/vendor/cli-test-session.ts';
import type { JsonObject } from '#domain/json.ts';
import type { TestSessionProvider } from '#domain/sessions/test-session.ts';
import { isUuid } from '#lib/id.ts';
import { errorBody } from '../errors.ts';
import { HttpRefusal } from '../http-refusal.ts';
import { parseDeclared } from '../projects/declared-inputs.ts';
import { Answer, type Route, route } from '../route.ts';
import { testResultLink, type TestLinks, locationOf } from '../sessions/test-sessions.ts';
import { given, isoText } from '../wire.ts';
import { declaredProject } from './projects/declare.ts';
import { namingResources } from './projects/named-faults.ts';
import type { ScriptFileActions } from '#actions/checks/script-files.ts';
import { fileAnswer } from '../checks/script-files.ts';

export interface CliTestSessionDeps {
  readonly testSessions: TestSessionActions;
  readonly testLinks: TestLinks;
}

export function cliTestSessionRoutes({ testSessions, testLinks }: CliTestSessionDeps): Route[] {
  return [
    route('triggerCliTestSession', async ({ caller, body }) => {
      const variables = (body.environmentVariables ?? []).map(({ key, value }) => {
        return { key, value, locked: true, secret: true };
      });
      const target = { matchTags: body.targetTags ?? [], checkIds: body.checkId?.filter(isUuid) };
      const isUnknown = target.checkIds?.length === 0 && (body.checkId?.length ?? 0) > 0;
      try {
        if (isUnknown) throw new Refusal('not-found', 'No matching checks were found.');
        const input = inputOf(body, 'TRIGGER', body.checkRunSuiteId, body.testRetryStrategy);
        const { session, runs } = await testSessions.trigger(caller, input, target, variables);
        const checks = runs.map(({ check: { id, name, checkType } }) => ({ id, name, checkType }));
        const ids = Object.fromEntries(runs.map(({ id, check }) => [check.id, id]));
        return { checks, testSessionId: session.id, testResultIds: ids, sequenceIds: ids };
      } catch (error) {
        if (!(error instanceof Refusal && error.code === 'not-found')) throw error;
        // The status and code by which the command line recognizes it.
        return new Answer(403, { ...errorBody(403, error.message), errorCode: 'ERR_NO_MATCHING_CHECKS' });
      }
    }),
    route('runCliTestSession', async ({ caller, body }) => {
      const [first] = body.checkRunJobs;
      const suiteId = first?.sourceInfo.checkRunSuiteId ?? '';
      const input = inputOf(body, 'API', suiteId, first?.testRetryStrategy);
      const { session, runs } = await testSessions.run(caller, input, await definitionsOf(body));
      const ids = Object.fromEntries(runs.map(({ id, logicalId }) => [logicalId ?? id, id]));
      return { schedulingId: session.id, testSessionId: session.id, testResultIds: ids, sequenceIds: ids };
    }),
    // The archive is read, because the command line waits for that, and discarded.
    route('uploadCliBundle', () => ({ key: 'unused' })),
    route('awaitCliTestScheduling', async ({ caller, params }) => {
      const { id, createdAt, runs } = await testSessions.find(caller, params.id);
      const at = isoText(createdAt);
      const times = { createdAt: at, startedAt: at, endedAt: at };
      return {
        schedulingId: id,
        testSessionId: id,
        status: 'SUCCEEDED',
        checksTotal: runs.length,
        error: null,
        ...times,
      };
    }),
    route('getCliTestSessionLink', async ({ caller, params }) => {
      const { accountId, id } = await testSessions.find(caller, params.id);
      return { link: testLinks.sessions.link(accountId, id, testLinks.now()) };
    }),
    route('getCliTestResultLinks', async ({ caller, params }) => {
      const session = await testSessions.find(caller, params.id);
      const { run } = await testSessions.result(caller, params.id, params.resultId);
      const link = testResultLink(session, run, params.resultId, testLinks);
      return { testResultLink: link, testTraceLinks: [], videoLinks: [], screenshotLinks: [] };
    }),
  ];
}

type Common = Pick<
  InputOf<'triggerCliTestSession'>['body'],
  'name' | 'runLocation' | 'shouldRecord' | 'environment' | 'repoInfo' | 'testRetryStrategy'
>;

function inputOf(
  { name, runLocation, shouldRecord, environment, repoInfo }: Omit<Common, 'testRetryStrategy'>,
  provider: TestSessionProvider,
  suiteId: string,
  retryStrategy: Common['testRetryStrategy'],
): TestSessionInput {
  const { repoUrl, commitId, commitOwner, commitMessage, branchName } = repoInfo ?? {};
  return {
    suiteId,
    name,
    provider,
    isRecorded: shouldRecord,
    location: locationOf(runLocation),
    metadata: given({ environment, repoUrl, commitId, commitOwner, commitMessage, branchName }),
    retryStrategy: retryStrategy ?? null,
  };
}

/** A run compares with snapshots, and stores no new ones. */
const withoutSnapshotUpdates =
  'Tocsin does not update snapshots. Update them with npx playwright test --update-snapshots, and run this command without --update-snapshots.';

/** The checks with their groups, translated and parsed like those of a deployment. */
async function definitionsOf({
  checkRunJobs,
  project: { logicalId: projectId },
  sharedFiles,
}: InputOf<'runCliTestSession'>['body']): Promise<TestDefinition[]> {
  if (checkRunJobs.some(({ sourceInfo }) => sourceInfo.updateSnapshots === true))
    throw new HttpRefusal(400, withoutSnapshotUpdates);
  const project = { logicalId: projectId, name: projectId, repoUrl: null };
  const constructs = checkRunJobs.flatMap(({ group, logicalId, ...job }) => [
    construct('check', logicalId, checkOf(job)),
    ...(group ? [construct('check-group', logicalId, group)] : []),
  ]);
  const { resources, refused } = declaredProject({ project, resources: constructs, sharedFiles }, () => undefined);
  if (refused.length > 0) throw new HttpRefusal(400, refused.join('\n'));
  const inputs = await parseDeclared(resources)(() => undefined).catch((error: unknown) => {
    throw namingResources(error, resources);
  });
  const groups = new Map(
    inputs.flatMap(({ type, logicalId, input }) => (type === 'check-group' ? [[logicalId, input] as const] : [])),
  );
  const runIds = new Map(checkRunJobs.map(({ logicalId, sourceInfo }) => [logicalId, sourceInfo.checkRunId]));
  return inputs.flatMap(({ type, logicalId, input }) => {
    if (type !== 'check') return [];
    const { checkType, ...check } = input;
    const checkRunId = runIds.get(logicalId) ?? logicalId;
    return [{ logicalId, checkRunId, checkType, input: check, group: groups.get(logicalId) ?? null }];
  });
}

function construct(type: string, logicalId: string, payload: JsonObject): CliResource {
  return { type, logicalId, payload, member: true };
}

/** The definition of a job, which is in its group by being listed with it. */
function checkOf(job: Omit<CliTestJob, 'group' | 'logicalId'>): JsonObject {
  const { sourceInfo: _source, testRetryStrategy: _retries, filePath: _file, groupId: _group, ...check } = job;
  return { ...check, groupId: null };
}

export function cliStorageRoutes(files: ScriptFileActions): Route[] {
  return [
    route('uploadCliSnapshot', ({ caller, bytes }) => files.upload(caller, bytes)),
    route('downloadCliSnapshot', async ({ caller, body }) => fileAnswer(await files.read(caller, body.key))),
  ];
}
