// Results of test sessions: derived from the events of their runs, shown like the results of checks.
import type { StoredResult } from '#store/history/check-results.ts';
import type { Store } from '#store/store.ts';
import type { JsonObject } from '#domain/json.ts';
import { bareFinding } from '#domain/results/result.ts';
import type { StoredTestRun, StoredTestSession, TestEvent, TestSource } from '#domain/sessions/test-session.ts';
import { type CheckResultDeps, shown, type ShownResult } from '../results/check-results.ts';

/** A result with the run that it belongs to. */
export interface ShownTestResult {
  readonly run: StoredTestRun;
  readonly shown: ShownResult;
  readonly isCancelled: boolean;
}

export interface TestResultDeps {
  readonly testEvents: Pick<Store['testEvents'], 'ofResult'>;
  readonly describeResult: CheckResultDeps['describeResult'];
  /** Tells waiting clients of all processes that runs were cancelled. */
  readonly onCancelled: () => void;
}

/** A result of any session of the account; null = there is none with this ID. */
export async function findTestResult(
  accountId: string,
  resultId: string,
  deps: Pick<TestResultDeps, 'testEvents' | 'describeResult'> & Pick<Store, 'testSessions'>,
): Promise<ShownTestResult | null> {
  const event = await deps.testEvents.ofResult(accountId, resultId);
  const session = event && (await deps.testSessions.find(accountId, event.sessionId));
  return session && resultOfEvent(session, event, deps);
}

/** A result of a session; null = there is none with this ID. */
export async function shownTestResult(
  session: StoredTestSession,
  resultId: string,
  deps: Pick<TestResultDeps, 'testEvents' | 'describeResult'>,
): Promise<ShownTestResult | null> {
  const event = await deps.testEvents.ofResult(session.accountId, resultId);
  return event?.sessionId === session.id ? resultOfEvent(session, event, deps) : null;
}

/** The result that an event of a session reports; null = it reports none. */
export function resultOfEvent(
  session: StoredTestSession,
  event: TestEvent,
  { describeResult }: Pick<TestResultDeps, 'describeResult'>,
): ShownTestResult | null {
  const run = session.runs.find(({ id }) => id === event.runId);
  if (run === undefined || event.resultId === null) return null;
  const isCancelled = event.finding === null;
  const message = 'The run was cancelled.';
  const finding = event.finding ?? bareFinding(event.createdAt, { verdict: 'unknown', reason: null, message });
  const { verdict, exchange, assets: _files, ...rest } = finding;
  const result: StoredResult = {
    ...rest,
    accountId: session.accountId,
    // A definition that is not saved has no ID of its own.
    checkId: run.checkId ?? event.resultId,
    id: event.resultId,
    runId: run.id,
    attempt: event.attempt,
    isFinal: event.kind === 'result',
    outcome: verdict,
    location: session.location,
    source: sourceOf(session, run),
    slots: 1,
    exchange: exchange === null ? null : (JSON.parse(exchange) as JsonObject),
  };
  const subject = { name: run.name, checkType: run.checkType };
  return { run, isCancelled, shown: shown(result, subject, { describeResult }) };
}

function sourceOf({ isRecorded }: StoredTestSession, { checkId }: StoredTestRun): TestSource {
  if (checkId === null) return isRecorded ? 'TEST_RECORD' : 'TEST_NO_RECORD';
  return isRecorded ? 'TRIGGER_RECORD' : 'TRIGGER_NO_RECORD';
}
