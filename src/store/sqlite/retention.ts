// What has grown old goes, a slice at a time: no slice holds the loop for long.
import { type IdBytes, firstIdAt } from '../codec.ts';
import { deliveryStatusCodes } from '../codes.ts';
import type { Retention } from '../retention.ts';
import type { Connection } from './connection.ts';
import type { SqliteFile } from './file.ts';

/** Rows in a slice: a few milliseconds of work. */
const rowsPerSlice = 400;

export function createSqliteRetention(file: SqliteFile): Retention {
  let cursor: SweepCursor | null = null;
  return {
    async sweep(before, now, resultsBefore = before) {
      const { removed, next } = await file.queue.group((connection) =>
        removeOldResults(connection, cursor, resultsBefore, rowsPerSlice),
      );
      cursor = next;
      if (next !== null) return { removed, isThrough: false };
      const more = await file.queue.group((connection) => removeOldDeliveries(connection, before, now, rowsPerSlice));
      return { removed: removed + more, isThrough: more < rowsPerSlice };
    },
  };
}

/** Where a sweep stands: the check it looks at next. */
export interface SweepCursor {
  readonly accountId: IdBytes;
  readonly checkId: IdBytes;
}

/** What a slice removed, and where the next begins; null = the sweep is through. */
export interface Slice {
  readonly removed: number;
  readonly next: SweepCursor | null;
}

const checksPerSlice = 20;
/** Parts of assets in a slice: each is scattered over a hundred pages. */
const partsPerSlice = 32;

/**
 * Removes results, exchanges and assets of a few checks that are older than `before` (epoch ms), `most` at most.
 * The key sorts by time within a check, so old rows are a range.
 */
export function removeOldResults(
  connection: Connection,
  cursor: SweepCursor | null,
  before: number,
  most: number,
): Slice {
  const bound = firstIdAt(before);
  let at = cursor;
  let removed = 0;
  for (let looked = 0; looked < checksPerSlice && removed < most; looked++) {
    const check = nextCheck(connection, at);
    if (check === null) return { removed, next: null };
    if (hasLateHours(connection, check)) {
      at = check;
      continue;
    }
    removed += removeOldest(connection, 'result_assets', 'result_id', check, bound, most - removed);
    const mostParts = Math.min(partsPerSlice, most - removed);
    const parts = removeOldest(connection, 'asset_parts', 'result_id', check, bound, mostParts);
    removed += parts;
    // The results last: a check without any is not found again.
    if (parts >= partsPerSlice) break;
    removed += removeOldest(connection, 'results', 'id', check, bound, most - removed);
    removed += removeOldest(connection, 'exchanges', 'result_id', check, bound, most - removed);
    // A slice that ran full leaves the cursor before this check: the next one goes on with it.
    if (removed < most) at = check;
  }
  return { removed, next: at ?? { accountId: new Uint8Array(), checkId: new Uint8Array() } };
}

/**
 * Checks that have results, walked by key: whether the check itself still exists does not matter. Two statements, because
 * SQLite would read every result of the check before for `(account_id, check_id) > (?, ?)`.
 */
function nextCheck(connection: Connection, after: SweepCursor | null): SweepCursor | null {
  const { accountId, checkId } = after ?? { accountId: new Uint8Array(), checkId: new Uint8Array() };
  const first = (place: string) =>
    connection.prepare(`SELECT account_id, check_id FROM results WHERE ${place} ORDER BY account_id, check_id LIMIT 1`);
  const row =
    first('account_id = ? AND check_id > ?').get(accountId, checkId) ?? first('account_id > ?').get(accountId);
  return row === undefined ? null : { accountId: row['account_id'] as IdBytes, checkId: row['check_id'] as IdBytes };
}

/** Of a check with hours that are still to be rolled up anew, nothing goes. */
function hasLateHours(connection: Connection, { accountId, checkId }: SweepCursor): boolean {
  const late = connection.prepare('SELECT 1 FROM late_hours WHERE account_id = ? AND check_id = ? LIMIT 1');
  return late.get(accountId, checkId) !== undefined;
}

function removeOldest(
  connection: Connection,
  table: 'results' | 'exchanges' | 'result_assets' | 'asset_parts',
  key: 'id' | 'result_id',
  { accountId, checkId }: SweepCursor,
  bound: IdBytes,
  most: number,
): number {
  if (most <= 0) return 0;
  const { changes } = connection
    .prepare(
      `DELETE FROM ${table} WHERE account_id = ?1 AND check_id = ?2 AND ${key} IN (
         SELECT ${key} FROM ${table} WHERE account_id = ?1 AND check_id = ?2 AND ${key} < ?3 ORDER BY ${key} LIMIT ?4)`,
    )
    .run(accountId, checkId, bound, most);
  return Number(changes);
}

/** Removes alerts, ended deliveries with their attempts, answered idempotency keys, and pings; answers how many rows went. */
export function removeOldDeliveries(connection: Connection, before: number, now: number, most: number): number {
  const accounts = connection.prepare('SELECT id FROM accounts').all() as unknown as { id: IdBytes }[];
  let removed = 0;
  for (const { id } of accounts) removed += removeOldOfAccount(connection, id, firstIdAt(before), most - removed);
  const keys = connection
    .prepare(
      `DELETE FROM idempotency_keys WHERE (account_id, key, operation) IN (
         SELECT account_id, key, operation FROM idempotency_keys WHERE created_at < ? LIMIT ?)`,
    )
    .run(now - 86_400_000, most);
  const pings = connection
    .prepare(
      `DELETE FROM pings WHERE (account_id, check_id, id) IN (
         SELECT account_id, check_id, id FROM pings WHERE id < ? ORDER BY id LIMIT ?)`,
    )
    .run(firstIdAt(before), Math.max(0, most - removed));
  return removed + Number(keys.changes) + Number(pings.changes);
}

function removeOldOfAccount(connection: Connection, accountId: IdBytes, bound: IdBytes, most: number): number {
  if (most <= 0) return 0;
  const old = connection
    .prepare('SELECT id FROM deliveries WHERE account_id = ? AND id < ? AND status <> ? LIMIT ?')
    .all(accountId, bound, deliveryStatusCodes.encode('pending'), most) as unknown as { id: IdBytes }[];
  const attempts = connection.prepare('DELETE FROM attempts WHERE account_id = ? AND delivery_id = ?');
  const requests = connection.prepare('DELETE FROM delivery_requests WHERE account_id = ? AND delivery_id = ?');
  const deliveries = connection.prepare('DELETE FROM deliveries WHERE account_id = ? AND id = ?');
  for (const { id } of old) {
    attempts.run(accountId, id);
    requests.run(accountId, id);
    deliveries.run(accountId, id);
  }
  const alerts = connection
    .prepare(
      `DELETE FROM alerts WHERE account_id = ?1 AND id IN (
         SELECT id FROM alerts WHERE account_id = ?1 AND id < ?2 ORDER BY id LIMIT ?3)`,
    )
    .run(accountId, bound, most);
  return old.length + Number(alerts.changes);
}
