// Test sessions: what is stored of them, and for how long.
import { type ExpressionBuilder, sql } from 'kysely';
import {
  isGood,
  recordedMs,
  runsOfSession,
  sessionBytesKept,
  sessionMs,
  sessionsKept,
  type StoredTestRun,
  type StoredTestSession,
  type TestRun,
  type TestSession,
  type TestSessionProvider,
  type TestSessionStatus,
  unrecordedMs,
} from '#domain/sessions/test-session.ts';
import { flag, type IdBytes, idBytes, idBytesOrNull, idText, idTextOrNull, json, parsed } from '../base/codec.ts';
import { waitForOthers } from '../base/account-limits.ts';
import { type Database, ownedBy } from '../base/database.ts';
import { deleteRows, findRow, findRows, insertRows, selectRows } from '../base/rows.ts';
import type { Seal } from '../base/seal.ts';
import type { TestRunsTable, TestSessionsTable } from '../base/tables/session-tables.ts';
import type { Db, Tables } from '../base/tables/schema.ts';
import { countUsage, remainingRuns } from '../checks/start-trigger.ts';
import { appendTestEvent } from './test-events.ts';

/** Which sessions to list; absent = any. Times are epoch ms. */
export interface TestSessionFilter {
  readonly from?: number | undefined;
  /** Before it. */
  readonly to?: number | undefined;
  readonly statuses?: readonly TestSessionStatus[] | undefined;
  readonly providers?: readonly TestSessionProvider[] | undefined;
  /** Names of branches. */
  readonly branches?: readonly string[] | undefined;
  /** Part of the name or of what the client said about its code. */
  readonly text?: string | undefined;
}

/** How far a session has come. */
export interface FollowedSession {
  readonly id: string;
  readonly suiteId: string;
  /** Number of its newest event. */
  readonly events: number;
}

/** Outcome of adding a session. */
export type TestSessionAdded = 'added' | 'full' | 'over-limit';

/** Sessions whose rows one statement of upkeep looks at. */
const sessionsAtOnce = 20;

/** Sessions, newest first. */
export function createTestSessions(database: Database) {
  const { reader, transaction, seal, clock, dialect } = database;
  const withRuns = async (rows: readonly TestSessionsTable[]): Promise<StoredTestSession[]> => {
    const [first] = rows;
    if (first === undefined) return [];
    const ids = rows.map(({ id }) => id);
    const key = { account_id: first.account_id, session_id: ids };
    const runs = await findRows(reader, 'test_runs', key, '*', ['position']);
    const bySession = Map.groupBy(runs, ({ session_id }) => idText(session_id));
    return rows.map((row) => sessionOf(row, bySession.get(idText(row.id)) ?? []));
  };
  return {
    /** Queues all runs, or none: `over-limit` = the account's runs of this month do not suffice. */
    add: (session: TestSession, runs: readonly TestRun[]): Promise<TestSessionAdded> =>
      transaction((tx) => addSession(tx, session, runs, seal)),
    async find(accountId: string, id: string): Promise<StoredTestSession | null> {
      const row = await findRow(reader, 'test_sessions', { account_id: idBytes(accountId), id: idBytes(id) });
      return row === undefined ? null : ((await withRuns([row]))[0] ?? null);
    },
    /**
     * Sessions with a suite that may have new events, oldest first, with the number of their events.
     * @param suiteId null = of all suites, if they were created at or after `since` (epoch ms)
     */
    async followed(accountId: string, suiteId: string | null, since: number): Promise<FollowedSession[]> {
      const account = idBytes(accountId);
      const own =
        suiteId === null
          ? selectRows(reader, 'test_sessions', { account_id: account }).where('created_at', '>=', since)
          : selectRows(reader, 'test_sessions', { account_id: account, suite_id: suiteId });
      const rows = await own
        .select(['id', 'suite_id', 'events'])
        .where('suite_id', 'is not', null)
        .orderBy('created_at')
        .orderBy('id')
        .limit(sessionsKept)
        .execute();
      return rows.map(({ id, suite_id, events }) => ({ id: idText(id), suiteId: suite_id ?? '', events }));
    },
    /** Recorded sessions, starting after the session `after`. */
    async list(accountId: string, filter: TestSessionFilter, after: string | null, limit: number) {
      let rows = selectRows(reader, 'test_sessions', { account_id: idBytes(accountId), is_recorded: 1 }).selectAll();
      const { from, to, statuses, providers, branches, text } = filter;
      if (after !== null) rows = rows.where('id', '<', idBytes(after));
      if (from !== undefined) rows = rows.where('created_at', '>=', from);
      if (to !== undefined) rows = rows.where('created_at', '<', to);
      if (providers !== undefined) rows = rows.where('provider', 'in', providers);
      if (statuses !== undefined) rows = rows.where((row) => row.or(statuses.map((status) => hasStatus(row, status))));
      if (branches !== undefined) rows = rows.where(dialect.jsonText('metadata', ['branchName']), 'in', branches);
      if (text !== undefined) rows = rows.where(dialect.contains(sql`name || ' ' || metadata`, text));
      return withRuns(await rows.orderBy('id', 'desc').limit(limit).execute());
    },
    /**
     * Cancels the runs that have not ended.
     * @param runId only this one; null = all, and the session
     * @returns false = unknown ID
     */
    cancel: (accountId: string, id: string, runId: string | null): Promise<boolean> =>
      transaction((tx) => cancelRuns(tx, { accountId, sessionId: id }, runId, clock.now(), seal)),
    /** Cancels sessions that take too long, and deletes old ones; returns their number. */
    removeOld: (now: number): Promise<number> => transaction((tx) => removeOld(tx, now, seal)),
  };
}

/** The rows of a status, as `testSessionStatus` derives it. */
function hasStatus(row: ExpressionBuilder<Tables, 'test_sessions'>, status: TestSessionStatus) {
  if (status === 'CANCELLED') return row('cancelled_at', 'is not', null);
  const isOver = row('ended_at', status === 'RUNNING' ? 'is' : 'is not', null);
  const own = row.and([row('cancelled_at', 'is', null), isOver]);
  return status === 'RUNNING' ? own : row.and([own, row('failed_runs', status === 'FAILED' ? '>' : '=', 0)]);
}

async function addSession(
  tx: Db,
  session: TestSession,
  runs: readonly TestRun[],
  seal: Seal,
): Promise<TestSessionAdded> {
  const { accountId, id, createdAt } = session;
  // First, so that concurrent calls are serialized.
  await waitForOthers(tx, accountId);
  const { open } = await selectRows(tx, 'test_runs', { account_id: idBytes(accountId), ended_at: null })
    .select(({ fn }) => fn.countAll<number>().as('open'))
    .executeTakeFirstOrThrow();
  if (open + runs.length > runsOfSession) return 'full';
  if ((await remainingRuns(tx, accountId, createdAt)) < runs.length) return 'over-limit';
  await countUsage(tx, { accountId, now: createdAt }, runs.length);
  await makeRoom(tx, accountId);
  const { suiteId, name, provider, isRecorded, location, metadata } = session;
  await insertRows(tx, 'test_sessions', {
    ...ownedBy(accountId),
    id: idBytes(id),
    suite_id: suiteId,
    name,
    provider,
    is_recorded: flag(isRecorded),
    location,
    metadata: json(metadata),
    created_at: createdAt,
    cancelled_at: null,
    ended_at: null,
    open_runs: runs.length,
    failed_runs: 0,
    events: 0,
    bytes: 0,
  });
  // One by one, because their definitions may be large.
  for (const run of runs) await insertRows(tx, 'test_runs', runRow(run, seal));
  return 'added';
}

/** Deletes the oldest ended sessions that are too many or store too much. */
async function makeRoom(tx: Db, accountId: string): Promise<void> {
  const rows = await selectRows(tx, 'test_sessions', { account_id: idBytes(accountId) })
    .select(['id', 'bytes', 'ended_at'])
    .orderBy('id', 'desc')
    .execute();
  let bytes = 0;
  const surplus = rows.filter((row, index) => {
    bytes += row.bytes;
    return row.ended_at !== null && (index >= sessionsKept - 1 || bytes > sessionBytesKept);
  });
  for (const { id } of surplus) await deleteSession(tx, idBytes(accountId), id);
}

async function deleteSession(tx: Db, account: IdBytes, id: IdBytes): Promise<void> {
  await deleteRows(tx, 'test_events', { account_id: account, session_id: id });
  await deleteRows(tx, 'test_runs', { account_id: account, session_id: id });
  await deleteRows(tx, 'test_sessions', { account_id: account, id });
}

async function cancelRuns(
  tx: Db,
  key: { readonly accountId: string; readonly sessionId: string },
  runId: string | null,
  now: number,
  seal: Seal,
): Promise<boolean> {
  const session = { account_id: idBytes(key.accountId), id: idBytes(key.sessionId) };
  if ((await findRow(tx, 'test_sessions', session, ['name'])) === undefined) return false;
  const cancelled = await tx
    .updateTable('test_runs')
    .set({ ended_at: now, outcome: 'cancelled', definition: null, leased_by: null, leased_until: null })
    .where('account_id', '=', session.account_id)
    .where('session_id', '=', session.id)
    .where('ended_at', 'is', null)
    .$if(runId !== null, (rows) => rows.where('id', '=', idBytes(runId ?? '')))
    .returning(['id', 'attempt'])
    .execute();
  for (const { id, attempt } of cancelled) {
    const event = { runId: idText(id), kind: 'result', attempt, resultId: idText(id), finding: null } as const;
    await appendTestEvent(tx, key, { ...event, createdAt: now }, seal, { ended: 1, failed: 1 });
  }
  if (runId === null && cancelled.length > 0) {
    await tx
      .updateTable('test_sessions')
      .set({ cancelled_at: now })
      .where('account_id', '=', session.account_id)
      .where('id', '=', session.id)
      .execute();
  }
  return true;
}

async function removeOld(tx: Db, now: number, seal: Seal): Promise<number> {
  const late = await tx
    .selectFrom('test_sessions')
    .select(['account_id', 'id'])
    .where('ended_at', 'is', null)
    .where('created_at', '<', now - sessionMs)
    .limit(sessionsAtOnce)
    .execute();
  for (const { account_id, id } of late) {
    await cancelRuns(tx, { accountId: idText(account_id), sessionId: idText(id) }, null, now, seal);
  }
  const old = await tx
    .selectFrom('test_sessions')
    .select(['account_id', 'id'])
    .where('created_at', '<', now - unrecordedMs)
    .where((row) => row.or([row('is_recorded', '=', 0), row('created_at', '<', now - recordedMs)]))
    .limit(sessionsAtOnce)
    .execute();
  for (const { account_id, id } of old) await deleteSession(tx, account_id, id);
  return late.length + old.length;
}

/** What of a run is encrypted. */
type Definition = Pick<TestRun, 'check' | 'group' | 'variables' | 'retryStrategy'>;

function runRow(run: TestRun, seal: Seal): TestRunsTable {
  const { accountId, id, sessionId, position, checkRunId, logicalId, check, location, createdAt } = run;
  const { group, variables, retryStrategy } = run;
  return {
    ...ownedBy(accountId),
    id: idBytes(id),
    session_id: idBytes(sessionId),
    position,
    check_run_id: checkRunId,
    logical_id: logicalId,
    check_id: idBytesOrNull(logicalId === null ? check.id : null),
    name: check.name,
    check_type: check.checkType,
    location,
    definition: seal.seal(json({ check, group, variables, retryStrategy } satisfies Definition)),
    attempt: 1,
    available_at: createdAt,
    leased_by: null,
    leased_until: null,
    started_at: null,
    ended_at: null,
    outcome: null,
    created_at: createdAt,
  };
}

/** A run that has not ended. */
export function testRunOf(row: TestRunsTable & { readonly definition: string }, seal: Seal): TestRun {
  return {
    ...parsed<Definition>(seal.open(row.definition)),
    accountId: idText(row.account_id),
    id: idText(row.id),
    sessionId: idText(row.session_id),
    position: row.position,
    checkRunId: row.check_run_id,
    logicalId: row.logical_id,
    location: row.location,
    createdAt: row.created_at,
  };
}

function sessionOf(row: TestSessionsTable, runs: readonly TestRunsTable[]): StoredTestSession {
  return {
    accountId: idText(row.account_id),
    id: idText(row.id),
    suiteId: row.suite_id,
    name: row.name,
    provider: row.provider,
    isRecorded: row.is_recorded === 1,
    location: row.location,
    metadata: parsed(row.metadata),
    createdAt: row.created_at,
    cancelledAt: row.cancelled_at,
    endedAt: row.ended_at,
    failed: row.failed_runs,
    runs: runs.map(storedRun),
  };
}

function storedRun(row: TestRunsTable): StoredTestRun {
  return {
    id: idText(row.id),
    position: row.position,
    checkRunId: row.check_run_id,
    logicalId: row.logical_id,
    checkId: idTextOrNull(row.check_id),
    name: row.name,
    checkType: row.check_type,
    attempt: row.attempt,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    outcome: row.outcome,
  };
}

/** How an outcome counts. */
export function failures(outcome: Exclude<StoredTestRun['outcome'], null>): 0 | 1 {
  return isGood(outcome) ? 0 : 1;
}
