// Rows of check states in SQLite, read and written in the transaction of the result.
import type { IdBytes } from '../../base/codec.ts';
import type { CheckStatesTable } from '../../base/tables/schema.ts';
import type { Connection } from '../../engines/sqlite/connection.ts';
import { insertRows } from '../../engines/sqlite/many-rows.ts';
import { rowEndings } from './row-endings.ts';

/** The row of a check, if it has one. */
export function readState(connection: Connection, accountId: IdBytes, checkId: IdBytes): CheckStatesTable | undefined {
  return connection
    .prepare('SELECT * FROM check_states WHERE account_id = ? AND check_id = ?')
    .get(accountId, checkId) as unknown as CheckStatesTable | undefined;
}

/** Replaces the rows that were read. */
export function writeStates(connection: Connection, rows: readonly CheckStatesTable[]): void {
  insertRows(connection, 'check_states', rows, rowEndings.check_states);
}
