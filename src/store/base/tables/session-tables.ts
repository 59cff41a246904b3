// Tables of test sessions and check sessions.
import type { TestEvent, TestOutcome, TestSessionProvider } from '#domain/sessions/test-session.ts';
import type { Flag, IdBytes } from '../codec.ts';

export interface TestSessionsTable {
  account_id: IdBytes;
  id: IdBytes;
  suite_id: string | null;
  name: string;
  provider: TestSessionProvider;
  is_recorded: Flag;
  location: string;
  /** JSON. */
  metadata: string;
  created_at: number;
  cancelled_at: number | null;
  ended_at: number | null;
  /** Runs that have not ended, and those that failed. */
  open_runs: number;
  failed_runs: number;
  /** Number of its newest event. */
  events: number;
  /** Size of its events. */
  bytes: number;
}

/** A run of a session. While it has not ended, it is a queue entry. */
export interface TestRunsTable {
  account_id: IdBytes;
  id: IdBytes;
  session_id: IdBytes;
  position: number;
  check_run_id: string;
  logical_id: string | null;
  check_id: IdBytes | null;
  name: string;
  check_type: string;
  location: string;
  /** Encrypted JSON; null once the run has ended. */
  definition: string | null;
  attempt: number;
  available_at: number;
  leased_by: string | null;
  leased_until: number | null;
  started_at: number | null;
  ended_at: number | null;
  outcome: TestOutcome | null;
  created_at: number;
}

/** What happened in a session. */
export interface TestEventsTable {
  account_id: IdBytes;
  session_id: IdBytes;
  number: number;
  run_id: IdBytes;
  kind: TestEvent['kind'];
  attempt: number;
  result_id: IdBytes | null;
  /** Encrypted JSON of a finding. */
  content: string | null;
  created_at: number;
}

/** A check that was started by a call; its runs are those of a batch. */
export interface CheckSessionsTable {
  account_id: IdBytes;
  id: IdBytes;
  check_id: IdBytes;
  check_type: string;
  name: string;
  batch_id: IdBytes;
  /** JSON: pairs of run ID and location. */
  runs: string;
  created_at: number;
  cancelled_at: number | null;
}

export interface SessionTables {
  test_sessions: TestSessionsTable;
  test_runs: TestRunsTable;
  test_events: TestEventsTable;
  check_sessions: CheckSessionsTable;
}
