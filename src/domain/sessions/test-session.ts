// Test sessions: stored checks or unsaved definitions that run together once, without changing states or sending alerts.
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { CheckGroup } from '../checks/check-group.ts';
import type { CheckType, RetryStrategy } from '../checks/check.ts';
import type { CheckTrial } from '../results/check-trial.ts';
import type { Finding, Verdict } from '../results/result.ts';

/** What started a session (reference: provider). */
export const testSessionProviders = ['API', 'TRIGGER', 'GITHUB', 'VERCEL', 'PW_REPORTER'] as const;
export type TestSessionProvider = (typeof testSessionProviders)[number];

export const testSessionStatuses = ['RUNNING', 'PASSED', 'FAILED', 'CANCELLED'] as const;
export type TestSessionStatus = (typeof testSessionStatuses)[number];

/** Where the code of a session comes from, as its client says; all are optional. */
export type TestMetadata = Readonly<Record<string, string>>;

/** A session. Its runs take place at one location. */
export interface TestSession {
  readonly accountId: string;
  readonly id: string;
  /** Chosen by the client, which receives messages about its runs under this name; null = none. */
  readonly suiteId: string | null;
  readonly name: string;
  readonly provider: TestSessionProvider;
  /** false = it is not listed, and deleted after a day. */
  readonly isRecorded: boolean;
  readonly location: string;
  readonly metadata: TestMetadata;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** One check of a session. Its ID also identifies its messages and its final result. */
export interface TestRun extends CheckTrial {
  readonly sessionId: string;
  /** Order within the session, from 0. */
  readonly position: number;
  /** Chosen by the client for its messages. */
  readonly checkRunId: string;
  /** Name of the definition in the client's project; null = a stored check. */
  readonly logicalId: string | null;
  /** Settings that the check inherits; null = none. */
  readonly group: CheckGroup | null;
  /** Override variables of check, group and account. */
  readonly variables: readonly EnvironmentVariable[];
  /** Replaces that of the check; null = no retries. */
  readonly retryStrategy: RetryStrategy | null;
}

/** What started a run of a session (reference: runSource). */
export type TestSource = 'TEST_RECORD' | 'TEST_NO_RECORD' | 'TRIGGER_RECORD' | 'TRIGGER_NO_RECORD';

/** Whether a run belongs to a session, and not to the history of a check. */
export function isTestSource(source: string): boolean {
  return source.endsWith('_RECORD');
}

/** Verdict of a run, or that it was cancelled. */
export type TestOutcome = Verdict | 'cancelled';

/** A run as listed with its session. */
export interface StoredTestRun {
  readonly id: string;
  readonly position: number;
  readonly checkRunId: string;
  readonly logicalId: string | null;
  /** null = the definition is not saved. */
  readonly checkId: string | null;
  readonly name: string;
  readonly checkType: CheckType;
  readonly attempt: number;
  /** When its first attempt started, epoch ms; null = it waits. */
  readonly startedAt: number | null;
  /** null = it has not ended. */
  readonly endedAt: number | null;
  readonly outcome: TestOutcome | null;
}

/** A session as stored. */
export interface StoredTestSession extends TestSession {
  readonly cancelledAt: number | null;
  /** When its last run ended, epoch ms; null = one has not. */
  readonly endedAt: number | null;
  /** Number of runs without a passed or degraded outcome. */
  readonly failed: number;
  readonly runs: readonly StoredTestRun[];
}

/** What happened to a run, in the order of the session. */
export interface TestEvent {
  /** From 1, without gaps. */
  readonly number: number;
  readonly runId: string;
  readonly kind: 'run-start' | 'attempt' | 'result';
  readonly attempt: number;
  /** ID of the result of an attempt; that of a final one is the run's. */
  readonly resultId: string | null;
  /** Of an attempt or a result; null = it has only started, or was cancelled. */
  readonly finding: Finding | null;
  /** Epoch ms. */
  readonly createdAt: number;
}

/** How long recorded sessions are stored, and others, ms. */
export const recordedMs = 30 * 86_400_000;
export const unrecordedMs = 86_400_000;
/** Maximum number of stored sessions of an account; the oldest ended ones give way. */
export const sessionsKept = 200;
/** Maximum size of what sessions of an account store, bytes; the oldest ended ones give way. */
export const sessionBytesKept = 100_000_000;
/** Size from which a session stores results without requests and responses, bytes. */
export const sessionBytesMax = 20_000_000;
/** Maximum number of runs of a session, and of runs of an account that wait or run. */
export const runsOfSession = 500;
/** How long a session may take; then its runs are cancelled, ms. */
export const sessionMs = 2 * 3_600_000;

/** The status of a session. */
export function testSessionStatus({
  cancelledAt,
  endedAt,
  failed,
}: Pick<StoredTestSession, 'cancelledAt' | 'endedAt' | 'failed'>): TestSessionStatus {
  if (cancelledAt !== null) return 'CANCELLED';
  if (endedAt === null) return 'RUNNING';
  return failed > 0 ? 'FAILED' : 'PASSED';
}

/** Whether an outcome lets a gate open: a run without a verdict does not. */
export function isGood(outcome: TestOutcome): boolean {
  return outcome === 'passed' || outcome === 'degraded';
}
