// The tables of test sessions and check sessions in the first schema.
import type { Dialect } from '../dialect.ts';

/** The statements that create them, in order. */
export function sessionTables({ types, strict, churning }: Dialect): string[] {
  const { id, text, integer, code, instant } = types;
  const account = `account_id ${id} NOT NULL`;
  return [
    `CREATE TABLE test_sessions (${account}, id ${id} NOT NULL, suite_id ${text}, name ${text} NOT NULL,
      provider ${text} NOT NULL, is_recorded ${code} NOT NULL, location ${text} NOT NULL, metadata ${text} NOT NULL,
      created_at ${instant} NOT NULL, cancelled_at ${instant}, ended_at ${instant}, open_runs ${integer} NOT NULL,
      failed_runs ${integer} NOT NULL, events ${integer} NOT NULL, bytes ${integer} NOT NULL,
      PRIMARY KEY (account_id, id))${strict}`,
    'CREATE INDEX test_sessions_by_suite ON test_sessions (account_id, suite_id) WHERE suite_id IS NOT NULL',
    'CREATE INDEX test_sessions_by_age ON test_sessions (created_at)',
    // `definition` is encrypted, and null once the run has ended.
    `CREATE TABLE test_runs (${account}, id ${id} NOT NULL, session_id ${id} NOT NULL, position ${integer} NOT NULL,
      check_run_id ${text} NOT NULL, logical_id ${text}, check_id ${id}, name ${text} NOT NULL,
      check_type ${text} NOT NULL, location ${text} NOT NULL, definition ${text}, attempt ${integer} NOT NULL,
      available_at ${instant} NOT NULL, leased_by ${text}, leased_until ${instant}, started_at ${instant},
      ended_at ${instant}, outcome ${text}, created_at ${instant} NOT NULL, PRIMARY KEY (account_id, id))${strict}`,
    'CREATE INDEX test_runs_of_session ON test_runs (account_id, session_id)',
    'CREATE INDEX test_runs_open ON test_runs (account_id, id) WHERE ended_at IS NULL',
    // `content` is encrypted.
    `CREATE TABLE test_events (${account}, session_id ${id} NOT NULL, number ${integer} NOT NULL, run_id ${id} NOT NULL,
      kind ${text} NOT NULL, attempt ${integer} NOT NULL, result_id ${id}, content ${text},
      created_at ${instant} NOT NULL, PRIMARY KEY (account_id, session_id, number))${strict}`,
    'CREATE INDEX test_events_by_result ON test_events (account_id, result_id) WHERE result_id IS NOT NULL',
    `CREATE TABLE check_sessions (${account}, id ${id} NOT NULL, check_id ${id} NOT NULL, check_type ${text} NOT NULL,
      name ${text} NOT NULL, batch_id ${id} NOT NULL, runs ${text} NOT NULL, created_at ${instant} NOT NULL,
      cancelled_at ${instant}, PRIMARY KEY (account_id, id))${strict}`,
    'CREATE INDEX check_sessions_by_age ON check_sessions (created_at)',
    ...churning('test_runs'),
  ];
}
