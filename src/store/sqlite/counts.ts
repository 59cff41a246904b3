// Counters kept in the transaction of what they count: runs by outcome, and what the execution limit is judged by.
import { monthStart } from '#domain/account.ts';
import type { Outcome } from '#domain/result.ts';
import type { IdBytes } from '../codec.ts';
import type { Connection } from './connection.ts';

/** What a run_counts row counts. */
export type Counted = Outcome | 'scheduled' | 'on_demand' | 'limited';

const dayMs = 86_400_000;

/** Sums up what one transaction counts, so that each row is written once. */
export interface Counts {
  add(accountId: IdBytes, counted: Counted, by: number): void;
  write(connection: Connection, now: number): void;
}

export function createCounts(): Counts {
  const sums = new Map<string, { accountId: IdBytes; counted: Counted; by: number }>();
  return {
    add(accountId, counted, by) {
      const key = `${counted}${String.fromCharCode(...accountId)}`;
      const sum = sums.get(key);
      if (sum === undefined) sums.set(key, { accountId, counted, by });
      else sum.by += by;
    },
    write(connection, now) {
      const day = Math.floor(now / dayMs);
      for (const { accountId, counted, by } of sums.values()) {
        connection
          .prepare(
            `INSERT INTO run_counts (account_id, day, ${counted}) VALUES (?, ?, ?)
             ON CONFLICT (account_id, day) DO UPDATE SET ${counted} = ${counted} + excluded.${counted}`,
          )
          .run(accountId, day, by);
      }
    },
  };
}

/** Runs that an account may still start in the month of `now`; Infinity without a limit. */
export function remainingRuns(connection: Connection, accountId: IdBytes, now: number): number {
  const row = connection
    .prepare(
      `SELECT a.execution_limit AS most, u.used AS used FROM accounts a
       LEFT JOIN usage u ON u.account_id = a.id AND u.month = ? WHERE a.id = ?`,
    )
    .get(monthStart(now), accountId);
  if (row === undefined || row['most'] === null) return Number.POSITIVE_INFINITY;
  return Math.max(0, Number(row['most']) - Number(row['used'] ?? 0));
}

/** Counts runs toward the execution limit; a negative number gives back those that were never run. */
export function countUsage(connection: Connection, accountId: IdBytes, now: number, runs: number): void {
  if (runs === 0) return;
  connection
    .prepare(
      `INSERT INTO usage (account_id, month, used) VALUES (?, ?, max(0, ?))
       ON CONFLICT (account_id, month) DO UPDATE SET used = max(0, used + ?)`,
    )
    .run(accountId, monthStart(now), runs, runs);
}
