// Actions on test sessions: run stored checks or unsaved definitions once, without an effect on states and alerts.
import type { TestSessionFilter } from '#store/sessions/test-sessions.ts';
import type { Store } from '#store/store.ts';
import type { EnvironmentVariable } from '#domain/accounts/environment-variable.ts';
import type { Caller } from '#domain/accounts/api-key.ts';
import type { CheckGroup } from '#domain/checks/check-group.ts';
import type { CheckType, RetryStrategy } from '#domain/checks/check.ts';
import {
  runsOfSession,
  type StoredTestSession,
  type TestRun,
  type TestSession,
} from '#domain/sessions/test-session.ts';
import type { Clock } from '#lib/clock.ts';
import { requirePermission } from '../accounts/permission.ts';
import type { CheckInput } from '../checks/check-edits.ts';
import { draftGroup, type GroupDeps, type GroupInput } from '../checks/check-groups.ts';
import { type CheckDeps, draftCheck } from '../checks/checks.ts';
import { type Hints, waitUntil } from '../checks/wait-until.ts';
import { invalidField, notFound, type Problem, refuseProblems, Refusal, orNotFound } from '../refusal.ts';
import {
  type SessionWaiting,
  stillRunning,
  type CheckTarget,
  type SelectDeps,
  selectChecks,
} from './check-sessions.ts';
import { accountZone, type AccountZoneDeps } from '../accounts/account-zone.ts';
import type { SessionLinks } from '../signed-links.ts';
import { type ShownTestResult, shownTestResult, type TestResultDeps } from './test-results.ts';

/** What sessions have in common, however they are started. */
export interface TestSessionInput extends Pick<
  TestSession,
  'suiteId' | 'name' | 'provider' | 'isRecorded' | 'metadata'
> {
  /** Code of a run location; null = this server's own. */
  readonly location: string | null;
  /** Replaces those of the checks; null = no retries. */
  readonly retryStrategy: RetryStrategy | null;
}

/** A definition that is not saved. */
export interface TestDefinition extends Pick<TestRun, 'checkRunId'> {
  readonly logicalId: string;
  readonly checkType: CheckType;
  readonly input: CheckInput;
  readonly group: GroupInput | null;
}

/** The session of a link. */
export interface LinkedTestSession {
  readonly session: StoredTestSession;
  /** IANA name of the zone of its times. */
  readonly timeZone: string;
  /** When the link expires, epoch ms. */
  readonly expiresAt: number;
}

/** A session that was started, with its checks. */
export interface StartedTestSession {
  readonly session: StoredTestSession;
  readonly runs: readonly TestRun[];
}

export interface TestSessionDeps
  extends Pick<Store, 'testSessions' | 'testEvents'>, SelectDeps, AccountZoneDeps, Omit<TestResultDeps, 'testEvents'> {
  readonly sessionLinks: Pick<SessionLinks, 'open'>;
  readonly drafts: CheckDeps;
  readonly groupDrafts: GroupDeps;
  /** Codes of the run locations that are available to an account, this server's own first. */
  readonly servedLocations: (accountId: string) => readonly string[];
  readonly wake: () => void;
  readonly clock: Clock;
  /** Hints that results were recorded. */
  readonly hints: Hints;
  /** Aborts when this process stops, so that waiting callers do not delay shutdown. */
  readonly stopping: AbortSignal;
}

/** Sessions of other accounts are refused like unknown ones: `not-found`. */
export type TestSessionActions = ReturnType<typeof createTestSessionActions>;

export function createTestSessionActions(deps: TestSessionDeps) {
  const { testSessions } = deps;
  const required = async (caller: Caller, id: string): Promise<StoredTestSession> => {
    requirePermission(caller, 'read');
    return orNotFound(await testSessions.find(caller.accountId, id), 'test session', id);
  };
  return {
    /**
     * Runs definitions that are not saved. Refuses what creating the checks would refuse, with the logical ID in front
     * of the path, `limit`, `too-many` while 500 runs of the account wait or run, and `unavailable` for a location
     * without a runner.
     */
    async run(caller: Caller, input: TestSessionInput, definitions: readonly TestDefinition[]) {
      requirePermission(caller, 'write');
      return start(caller, input, await draftedAll(caller, definitions, deps), deps);
    },
    /** Runs stored checks. Refuses `not-found` if none matches, and as `run`. */
    async trigger(
      caller: Caller,
      input: TestSessionInput,
      target: CheckTarget,
      variables: readonly EnvironmentVariable[],
    ): Promise<StartedTestSession> {
      requirePermission(caller, 'run');
      const drafts = await selectChecks(caller.accountId, target, deps);
      const own = { logicalId: null, checkRunId: null, variables };
      return start(
        caller,
        input,
        drafts.map((each) => ({ ...each, ...own })),
        deps,
      );
    },
    /** Newest first, starting after the session `after`; `nextId` = cursor of the next page, null on the last page. */
    async list(caller: Caller, filter: TestSessionFilter, after: string | null, limit: number) {
      requirePermission(caller, 'read');
      const found = await testSessions.list(caller.accountId, filter, after, limit + 1);
      const rows = found.slice(0, limit);
      return { rows, nextId: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
    },
    find: required,
    /** The session of a link; null = an invalid or expired link, or a session that is no longer stored. */
    open: (token: string): Promise<LinkedTestSession | null> => openLink(token, deps),
    /** A final result, whose ID is that of its run, or that of a retried attempt. */
    async result(caller: Caller, id: string, resultId: string): Promise<ShownTestResult> {
      const found = await shownTestResult(await required(caller, id), resultId, deps);
      return orNotFound(found, 'result of the test session', resultId);
    },
    /** The session once it has ended. Refuses `timeout` if time runs out. */
    async wait(caller: Caller, id: string, { maxMs, signal }: SessionWaiting): Promise<StoredTestSession> {
      let session = await required(caller, id);
      const isOver = async (): Promise<boolean> => {
        session = await required(caller, id);
        return session.endedAt !== null;
      };
      const ending = AbortSignal.any([signal, deps.stopping]);
      if (await waitUntil(isOver, { maxMs, signal: ending, hints: deps.hints })) return session;
      throw stillRunning('The test session is still running.');
    },
    /** Cancels the runs that have not ended. @param runId only this one */
    async cancel(caller: Caller, id: string, runId: string | null): Promise<StoredTestSession> {
      requirePermission(caller, 'run');
      if (!(await testSessions.cancel(caller.accountId, id, runId))) throw notFound('test session', id);
      deps.onCancelled();
      return required(caller, id);
    },
  };
}

async function openLink(token: string, deps: TestSessionDeps): Promise<LinkedTestSession | null> {
  const linked = deps.sessionLinks.open(token, deps.clock.now());
  const session = linked && (await deps.testSessions.find(linked.accountId, linked.sessionId));
  if (!session) return null;
  return { session, timeZone: await accountZone(deps, session.accountId), expiresAt: linked.expiresAt };
}

interface Draft extends Pick<TestRun, 'check' | 'group' | 'logicalId' | 'variables'> {
  /** null = a new one. */
  readonly checkRunId: string | null;
}

async function draftedAll(
  caller: Caller,
  definitions: readonly TestDefinition[],
  deps: TestSessionDeps,
): Promise<Draft[]> {
  const drafts: Draft[] = [];
  const problems: Problem[] = [];
  for (const { logicalId, checkRunId, checkType, input, group } of definitions) {
    const inherited =
      group === null
        ? null
        : await within(`${logicalId}.group`, problems, () => draftGroup(caller, group, deps.groupDrafts));
    const check = await within(logicalId, problems, () =>
      draftCheck(caller, checkType, { ...input, groupId: null }, null, deps.drafts),
    );
    if (check !== null) drafts.push({ check, group: inherited, logicalId, checkRunId, variables: [] });
  }
  refuseProblems(problems);
  return drafts;
}

/** The draft; null = it is invalid, and its problems were added. */
async function within<Draft extends CheckGroup | TestRun['check']>(
  path: string,
  problems: Problem[],
  draft: () => Promise<Draft>,
): Promise<Draft | null> {
  try {
    return await draft();
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'invalid')) throw error;
    const found = Object.entries(error.attributes as Readonly<Record<string, string>>);
    problems.push(...found.map(([field, message]) => ({ path: `${path}.${field}`, message })));
    return null;
  }
}

async function start(
  { accountId }: Caller,
  { location: wanted, retryStrategy, ...input }: TestSessionInput,
  drafts: readonly Draft[],
  deps: TestSessionDeps,
): Promise<StartedTestSession> {
  const location = servedLocation(wanted, deps.servedLocations(accountId));
  const createdAt = deps.clock.now();
  const session: TestSession = { ...input, accountId, id: deps.drafts.newId(), location, createdAt };
  const runs = drafts.map((draft, position): TestRun => {
    const id = deps.drafts.newId();
    const own = { accountId, id, sessionId: session.id, position, location, createdAt, retryStrategy };
    return { ...draft, ...own, checkRunId: draft.checkRunId ?? id };
  });
  const added = await deps.testSessions.add(session, runs);
  if (added === 'over-limit') {
    throw new Refusal('limit', `The account’s runs of this month do not suffice for ${runs.length} runs.`);
  }
  if (added === 'full') {
    const message = `At most ${runsOfSession} runs of test sessions of an account can wait or run. Wait until some have ended.`;
    throw new Refusal('too-many', message, { retryAfterSeconds: 10 });
  }
  deps.wake();
  const stored = orNotFound(await deps.testSessions.find(accountId, session.id), 'test session', session.id);
  return { session: stored, runs };
}

function servedLocation(wanted: string | null, served: readonly string[]): string {
  const [own] = served;
  if (own === undefined) {
    throw new Refusal('unavailable', 'No process runs checks.', { retryAfterSeconds: 30 });
  }
  if (wanted === null || served.includes(wanted)) return wanted ?? own;
  const message = `"${wanted}" is not an available run location. Available: ${served.join(', ')}.`;
  throw invalidField('runLocation', message);
}
