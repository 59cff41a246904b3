// Counter rows in SQLite: runs, alerts and deliveries, and usage of the execution limit.
import { monthStart } from '#domain/accounts/account.ts';
import type { IdBytes } from '../../base/codec.ts';
import { addToCounts, type Counts } from '../../base/counts.ts';
import type { Connection } from './connection.ts';
import { insertRows } from './many-rows.ts';

/** Adds counters to their rows. */
export function writeCounts(connection: Connection, counts: Counts): void {
  insertRows(connection, 'account_counts', counts.rows(), addToCounts);
}

/** Runs that an account may still start in the month of `now`; Infinity without a limit. */
export function remainingRuns(connection: Connection, accountId: IdBytes, now: number): number {
  const row = connection
    .prepare(
      `SELECT a.execution_limit AS max, u.used AS used FROM accounts a
       LEFT JOIN usage u ON u.account_id = a.id AND u.month = ? WHERE a.id = ?`,
    )
    .get(monthStart(now), accountId);
  if (row === undefined || row['max'] === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, Number(row['max']) - Number(row['used'] ?? 0));
}

/** Counts runs toward the execution limit; a negative number returns those that never ran. */
export function countUsage(connection: Connection, accountId: IdBytes, now: number, runs: number): void {
  if (runs === 0) return;
  connection
    .prepare(
      `INSERT INTO usage (account_id, month, used) VALUES (?, ?, max(0, ?))
       ON CONFLICT (account_id, month) DO UPDATE SET used = max(0, used + ?)`,
    )
    .run(accountId, monthStart(now), runs, runs);
}
