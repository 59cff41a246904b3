// The state of each check: read and written in the transaction of the result that moves it.
import type { CheckState, CheckStatus } from '#domain/check-state.ts';
import { newCheckState } from '#domain/check-state.ts';
import type { EndedAttempt } from '#domain/recording.ts';
import { type IdBytes, jsonOrNull, parsedOrNull } from '../codec.ts';
import { outcomeCodes } from '../codes.ts';
import type { CheckStatesTable } from '../schema.ts';
import type { Connection } from './connection.ts';

/** The state of a check before a result. */
export function readState(connection: Connection, accountId: IdBytes, checkId: IdBytes): CheckState {
  const row = connection
    .prepare('SELECT * FROM check_states WHERE account_id = ? AND check_id = ?')
    .get(accountId, checkId) as unknown as CheckStatesTable | undefined;
  if (row === undefined) return newCheckState;
  return {
    status: row.status as CheckStatus | null,
    since: row.since,
    position: row.position_at === null ? null : { at: row.position_at, startedAt: row.position_started_at ?? 0 },
    failedInARow: row.failed_in_a_row,
    degradedInARow: row.degraded_in_a_row,
    failingSince: row.failing_since,
    alerted: row.alerted as CheckState['alerted'],
    byLocation: parsedOrNull<CheckState['byLocation']>(row.by_location) ?? {},
  };
}

/** Ids begin with the time of their slot: an older result that comes in late is not shown as the last. */
const isNewest = '(last_result_id IS NULL OR substr(excluded.last_result_id, 1, 6) >= substr(last_result_id, 1, 6))';

/** The state after a result, and what the status list shows of the result itself. */
export function writeState(
  connection: Connection,
  ids: { readonly accountId: IdBytes; readonly checkId: IdBytes; readonly resultId: IdBytes },
  state: CheckState,
  { finding, outcome, run }: EndedAttempt,
  now: number,
): void {
  const responseUs = finding.responseTimeMs === null ? null : Math.round(finding.responseTimeMs * 1000);
  connection
    .prepare(
      `INSERT INTO check_states (account_id, check_id, status, since, position_at, position_started_at, failed_in_a_row,
         degraded_in_a_row, failing_since, alerted, by_location, last_result_id, last_outcome, last_location,
         last_response_us, longest_response_us, shortest_response_us, certificate_valid_to, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (account_id, check_id) DO UPDATE SET status = excluded.status, since = excluded.since,
         position_at = excluded.position_at, position_started_at = excluded.position_started_at,
         failed_in_a_row = excluded.failed_in_a_row, degraded_in_a_row = excluded.degraded_in_a_row,
         failing_since = excluded.failing_since, alerted = excluded.alerted, by_location = excluded.by_location,
         last_outcome = CASE WHEN ${isNewest} THEN excluded.last_outcome ELSE last_outcome END,
         last_location = CASE WHEN ${isNewest} THEN excluded.last_location ELSE last_location END,
         last_response_us = CASE WHEN ${isNewest} THEN excluded.last_response_us ELSE last_response_us END,
         last_result_id = CASE WHEN ${isNewest} THEN excluded.last_result_id ELSE last_result_id END,
         longest_response_us = max(coalesce(longest_response_us, excluded.last_response_us),
           coalesce(excluded.last_response_us, longest_response_us)),
         shortest_response_us = min(coalesce(shortest_response_us, excluded.last_response_us),
           coalesce(excluded.last_response_us, shortest_response_us)),
         certificate_valid_to = coalesce(excluded.certificate_valid_to, certificate_valid_to),
         updated_at = excluded.updated_at`,
    )
    .run(
      ids.accountId,
      ids.checkId,
      state.status,
      state.since,
      state.position?.at ?? null,
      state.position?.startedAt ?? null,
      state.failedInARow,
      state.degradedInARow,
      state.failingSince,
      state.alerted,
      Object.keys(state.byLocation).length === 0 ? null : jsonOrNull(state.byLocation),
      ids.resultId,
      outcomeCodes.encode(outcome),
      run.location,
      responseUs,
      responseUs,
      responseUs,
      finding.certificate?.validTo ?? null,
      now,
      now,
    );
}
