// Rows of check states in SQLite, read and written in the transaction of the result.
import type { IdBytes } from '../../base/codec.ts';
import type { CheckStatesTable } from '../../base/tables/schema.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';
import { rowsStatement, writeRows } from '../../engines/sqlite/many-rows.ts';

/** The row of a check, if it has one. */
export function readState(connection: Connection, accountId: IdBytes, checkId: IdBytes): CheckStatesTable | undefined {
  return connection
    .prepare('SELECT * FROM check_states WHERE account_id = ? AND check_id = ?')
    .get(accountId, checkId) as unknown as CheckStatesTable | undefined;
}

const written = rowsStatement(
  32,
  (rows) =>
    `INSERT OR REPLACE INTO check_states (account_id, check_id, status, since, position_at, position_started_at,
       failed_in_a_row, degraded_in_a_row, failing_since, alerted, suppressed_by, recovered_at, failed_from, passed_at, incident_id, incident_started_at, acknowledged_at, flapping, flapping_since, flapping_due_at, by_location,
       last_result_id, last_outcome, last_reason, last_location, last_response_us, longest_response_us, shortest_response_us, certificate_valid_to, created_at, updated_at, revision)
     VALUES ${rows}`,
);

/** Replaces the rows that were read. */
export function writeStates(connection: Connection, rows: readonly CheckStatesTable[]): void {
  writeRows(connection, written, rows, (row) => [
    row.account_id,
    row.check_id,
    row.status,
    row.since,
    row.position_at,
    row.position_started_at,
    row.failed_in_a_row,
    row.degraded_in_a_row,
    row.failing_since,
    row.alerted,
    row.suppressed_by,
    row.recovered_at,
    row.failed_from,
    row.passed_at,
    row.incident_id,
    row.incident_started_at,
    row.acknowledged_at,
    row.flapping,
    row.flapping_since,
    row.flapping_due_at,
    row.by_location,
    row.last_result_id,
    row.last_outcome,
    row.last_reason,
    row.last_location,
    row.last_response_us,
    row.longest_response_us,
    row.shortest_response_us,
    row.certificate_valid_to,
    row.created_at,
    row.updated_at,
    row.revision,
  ]);
}
