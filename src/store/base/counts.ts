// Sums the counters of a transaction: runs by outcome, per account and UTC day.
import { sql } from 'kysely';
import { type IdBytes, idText, latin1 } from './codec.ts';
import type { Db, RunCountsTable } from './tables/schema.ts';

const counters = [
  'scheduled',
  'on_demand',
  'passed',
  'degraded',
  'failed',
  'unknown',
  'missed',
  'limited',
  'misconfigured',
] as const satisfies readonly (keyof RunCountsTable)[];

/** Counters of a run_counts row. */
export type Counted = (typeof counters)[number];

const dayMs = 86_400_000;
const none = Object.fromEntries(counters.map((each) => [each, 0])) as Record<Counted, number>;

/** A complete row of run_counts. */
export type CountsRow = Record<Counted, number> & Pick<RunCountsTable, 'account_id' | 'day'>;

/** Sums counters, so that each row is written once. */
export function createCounts() {
  type Sum = Record<Counted, number> & { account_id: IdBytes };
  const sums = new Map<string, Sum>();
  let last: Sum | null = null;
  return {
    add(accountId: IdBytes, counted: Counted, by: number): void {
      // Most increments are of one account, whose ID is the same bytes.
      if (last?.account_id === accountId) {
        last[counted] += by;
        return;
      }
      const key = latin1(accountId);
      let sum = sums.get(key);
      if (sum === undefined) {
        sum = { account_id: accountId, ...none };
        sums.set(key, sum);
      }
      sum[counted] += by;
      last = sum;
    },
    /** Increments for the rows of the day of `now` (epoch ms), ordered by account. */
    rows(now: number): CountsRow[] {
      const day = Math.floor(now / dayMs);
      const rows = [...sums.values()].map(({ account_id, ...counts }) => ({ account_id, day, ...counts }));
      return rows.length > 1 ? rows.sort((a, b) => (idText(a.account_id) < idText(b.account_id) ? -1 : 1)) : rows;
    },
  };
}

export type Counts = ReturnType<typeof createCounts>;

/** End of the INSERT of such rows: adds them to existing ones. */
export const addToCounts = `ON CONFLICT (account_id, day) DO UPDATE SET ${counters
  .map((column) => `${column} = run_counts.${column} + excluded.${column}`)
  .join(', ')}`;

/** Adds to the counters of the day of `now` (epoch ms), within a transaction of the query builder. */
export async function addCounts(
  tx: Db,
  account_id: IdBytes,
  now: number,
  added: Partial<Record<Counted, number>>,
): Promise<void> {
  const sums = Object.entries(added).map(([column, by]) => [
    column,
    sql<number>`${sql.ref(`run_counts.${column}`)} + ${by}`,
  ]);
  await tx
    .insertInto('run_counts')
    .values({ account_id, day: Math.floor(now / dayMs), ...none, ...added })
    .onConflict((conflict) => conflict.columns(['account_id', 'day']).doUpdateSet(Object.fromEntries(sums)))
    .execute();
}
