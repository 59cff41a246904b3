// Marks hours that must be rolled up again, in SQLite.
import type { IdBytes } from '../base/codec.ts';
import type { Connection } from '../engines/sqlite/connection.ts';

/** Marks an hour of a check. @param startAt epoch ms */
export function noteLate(connection: Connection, accountId: IdBytes, checkId: IdBytes, startAt: number): void {
  connection
    .prepare(
      `INSERT INTO late_hours (account_id, check_id, start_at, touched) VALUES (?, ?, ?, 1)
       ON CONFLICT (account_id, check_id, start_at) DO UPDATE SET touched = touched + 1`,
    )
    .run(accountId, checkId, startAt);
}
