// Deletes old data from PostgreSQL: results, exchanges and assets by day, the rest in slices.
import { firstIdAt } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Retention } from './retention.ts';
import type { Connections } from '../engines/postgres/connections.ts';
import type { Session } from '../engines/postgres/session.ts';
import { dropDays, makeDays } from '../engines/postgres/days.ts';

const rowsPerSlice = 2000;
const dayMs = 86_400_000;

export function createPostgresRetention(connections: Connections): Retention {
  return {
    async sweep(before, now, resultsBefore = before) {
      const removed = await connections.transaction((session) => removeSlice(session, { before, now, resultsBefore }));
      // Last: the rest is done even if a long read prevents creating or dropping partitions.
      await makeDays(connections, now);
      const days = await dropDays(connections, resultsBefore);
      return {
        removed: removed.reduce((sum, rows) => sum + rows, days),
        isThrough: removed.every((rows) => rows < rowsPerSlice),
      };
    },
  };
}

interface Bounds {
  readonly before: number;
  readonly now: number;
  readonly resultsBefore: number;
}

/** One slice of each table; returns the number of deleted rows of each. */
async function removeSlice(session: Session, { before, now, resultsBefore }: Bounds): Promise<number[]> {
  const bound = firstIdAt(before);
  const resultsBound = firstIdAt(resultsBefore);
  const unfinished = [deliveryStatusCodes.encode('pending'), deliveryStatusCodes.encode('collecting')].join();
  // Keeps all results of a check with hours that must be rolled up again.
  const oldRows = (table: string, key: string): Promise<number> =>
    session.change(
      `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT r.ctid FROM ${table} r WHERE ${key} < $1 AND NOT EXISTS (
         SELECT FROM late_hours l WHERE l.account_id = r.account_id AND l.check_id = r.check_id) LIMIT $2))`,
      [resultsBound, rowsPerSlice],
    );
  const [counted] = await session.query<{ removed: number }>(
    // Account by account, because IDs are ordered only within one; the LATERAL is an index lookup for each.
    `WITH old AS (
       SELECT d.account_id, d.id FROM accounts a CROSS JOIN LATERAL (
         SELECT account_id, id FROM deliveries WHERE account_id = a.id AND id < $1 AND status NOT IN (${unfinished}) LIMIT $2) d
       LIMIT $2),
     attempts_gone AS (DELETE FROM attempts t USING old WHERE t.account_id = old.account_id AND t.delivery_id = old.id),
     requests_gone AS (
       DELETE FROM delivery_requests r USING old WHERE r.account_id = old.account_id AND r.delivery_id = old.id),
     contents_gone AS (
       DELETE FROM delivery_contents c USING old WHERE c.account_id = old.account_id AND c.delivery_id = old.id),
     gone AS (DELETE FROM deliveries d USING old WHERE d.account_id = old.account_id AND d.id = old.id RETURNING 1)
     SELECT count(*) AS removed FROM gone`,
    [bound, rowsPerSlice],
  );
  const alerts = await session.change(
    `DELETE FROM alerts t USING (
       SELECT d.account_id, d.id FROM accounts a CROSS JOIN LATERAL (
         SELECT account_id, id FROM alerts WHERE account_id = a.id AND id < $1 LIMIT $2) d LIMIT $2) old
     WHERE t.account_id = old.account_id AND t.id = old.id`,
    [bound, rowsPerSlice],
  );
  // Keeps open incidents of any age.
  const incidents = await session.change(
    `DELETE FROM incidents t USING (
       SELECT d.account_id, d.id FROM accounts a CROSS JOIN LATERAL (
         SELECT account_id, id FROM incidents WHERE account_id = a.id AND id < $1 AND ended_at < $3 LIMIT $2) d
       LIMIT $2) old
     WHERE t.account_id = old.account_id AND t.id = old.id`,
    [bound, rowsPerSlice, before],
  );
  const keys = await session.change(
    `DELETE FROM idempotency_keys WHERE ctid = ANY(ARRAY(
       SELECT ctid FROM idempotency_keys WHERE created_at < $1 LIMIT $2))`,
    [now - dayMs, rowsPerSlice],
  );
  return [
    await oldRows('asset_parts_other', 'result_id'),
    await oldRows('result_assets_other', 'result_id'),
    await oldRows('results_other', 'id'),
    await oldRows('exchanges_other', 'result_id'),
    await oldRows('pings_other', 'id'),
    counted?.removed ?? 0,
    alerts,
    incidents,
    keys,
  ];
}
