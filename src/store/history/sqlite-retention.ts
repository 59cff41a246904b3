// What has grown old goes, a slice at a time: no slice holds the loop for long.
import { type IdBytes, firstIdAt } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Retention } from './retention.ts';
import type { Connection } from '../engines/sqlite/connection.ts';
import type { SqliteFile } from '../engines/sqlite/file.ts';

/**
 * One sort of row after the other, each walked through once: a slice goes on where the one before it ended.
 *
 * @param steadyNow ms that only go on
 */
export function createSqliteRetention(file: SqliteFile, steadyNow: () => number): Retention {
  let sort = 0;
  let place: Place | null = null;
  return {
    async sweep(before, now, resultsBefore = before) {
      const remove = sorts[sort] ?? removeOldResults;
      const { removed, next } = await file.queue.group((connection) => {
        const endsAt = steadyNow() + sliceMs;
        return remove(connection, place, { before, now, resultsBefore, isOver: () => steadyNow() >= endsAt });
      });
      place = next;
      if (next !== null) return { removed, isThrough: false };
      sort = (sort + 1) % sorts.length;
      return { removed, isThrough: sort === 0 };
    },
  };
}

/** What bounds a slice. */
interface Bounds {
  /** Instants, epoch ms, before which rows go. */
  readonly before: number;
  readonly now: number;
  readonly resultsBefore: number;
  /** Whether it has taken its time. */
  readonly isOver: () => boolean;
}

/** Where a walk stands: it goes on with what follows. Of a walk through accounts the check is empty. */
interface Place {
  readonly accountId: IdBytes;
  readonly checkId: IdBytes;
}

/** What a slice removed, and where the next goes on; null = the walk is through. */
interface Slice {
  readonly removed: number;
  readonly next: Place | null;
}

const sorts = [removeOldResults, removeOldDeliveries, removeOldPings, removeOldAnswers] as const;
const start: Place = { accountId: new Uint8Array(), checkId: new Uint8Array() };

/**
 * After so long a slice ends, ms, wherever it stands: on a slow machine, or of rows that are scattered, it takes fewer. Its commit comes
 * on top, which takes about as long.
 */
const sliceMs = 5;
/** A slice that has so many rows takes no more; a statement takes so many at most, and after one that did it is asked for the time. */
const rowsPerSlice = 400;
const rowsPerStatement = 100;
const checksPerSlice = 20;
const accountsPerSlice = 100;
/** Deliveries and alerts in a slice: a delivery has rows in three tables, in four indexes. */
const deliveriesPerSlice = 100;
/** Parts of assets: each is scattered over a hundred pages. */
const partsPerStatement = 8;

/**
 * Results, exchanges and assets of a few checks. The key sorts by time within a check, so old rows are a range.
 */
function removeOldResults(connection: Connection, after: Place | null, { resultsBefore, isOver }: Bounds): Slice {
  const bound = firstIdAt(resultsBefore);
  let at = after ?? start;
  let [looked, removed] = [0, 0];
  while (looked < checksPerSlice && removed < rowsPerSlice && !isOver()) {
    const check = nextCheck(connection, 'results', at);
    if (check === null) return { removed, next: null };
    const some = hasLateHours(connection, check) ? nothing : removeSomeOf(connection, check, bound);
    removed += some.removed;
    // Of a check that has more the slice, or the next one, goes on.
    if (!some.isThrough) continue;
    at = check;
    looked++;
  }
  return { removed, next: at };
}

/** What went of a check or an account, and whether that was all. */
interface Some {
  readonly removed: number;
  readonly isThrough: boolean;
}

const nothing: Some = { removed: 0, isThrough: true };

/** The results last: a check without any is not found again. */
const ofResults = [
  { table: 'result_assets', key: 'result_id', most: rowsPerStatement },
  { table: 'asset_parts', key: 'result_id', most: partsPerStatement },
  { table: 'exchanges', key: 'result_id', most: rowsPerStatement },
  { table: 'results', key: 'id', most: rowsPerStatement },
] as const;

/** One sort after the other, until one has more than go at once. */
function removeSomeOf(connection: Connection, check: Place, bound: IdBytes): Some {
  let removed = 0;
  for (const { table, key, most } of ofResults) {
    const some = removeOldest(connection, table, key, check, bound, most);
    removed += some;
    if (some >= most) return { removed, isThrough: false };
  }
  return { removed, isThrough: true };
}

/**
 * Checks that have results or pings, walked by key: whether the check itself still exists does not matter. Two statements,
 * because SQLite would read every row of the check before for `(account_id, check_id) > (?, ?)`.
 */
function nextCheck(connection: Connection, table: 'results' | 'pings', { accountId, checkId }: Place): Place | null {
  const first = (place: string) =>
    connection.prepare(
      `SELECT account_id, check_id FROM ${table} WHERE ${place} ORDER BY account_id, check_id LIMIT 1`,
    );
  const row =
    first('account_id = ? AND check_id > ?').get(accountId, checkId) ?? first('account_id > ?').get(accountId);
  return row === undefined ? null : { accountId: row['account_id'] as IdBytes, checkId: row['check_id'] as IdBytes };
}

/** Of a check with hours that are still to be rolled up anew, nothing goes. */
function hasLateHours(connection: Connection, { accountId, checkId }: Place): boolean {
  const late = connection.prepare('SELECT 1 FROM late_hours WHERE account_id = ? AND check_id = ? LIMIT 1');
  return late.get(accountId, checkId) !== undefined;
}

function removeOldest(
  connection: Connection,
  table: 'results' | 'exchanges' | 'result_assets' | 'asset_parts' | 'pings',
  key: 'id' | 'result_id',
  { accountId, checkId }: Place,
  bound: IdBytes,
  most: number,
): number {
  const { changes } = connection
    .prepare(
      `DELETE FROM ${table} WHERE account_id = ?1 AND check_id = ?2 AND ${key} IN (
         SELECT ${key} FROM ${table} WHERE account_id = ?1 AND check_id = ?2 AND ${key} < ?3 ORDER BY ${key} LIMIT ?4)`,
    )
    .run(accountId, checkId, bound, most);
  return Number(changes);
}

/** Alerts and ended deliveries of a few accounts, with attempts and what was sent. */
function removeOldDeliveries(connection: Connection, after: Place | null, { before, isOver }: Bounds): Slice {
  const bound = firstIdAt(before);
  let at = after ?? start;
  let removed = 0;
  const accounts = connection
    .prepare('SELECT id FROM accounts WHERE id > ? ORDER BY id LIMIT ?')
    .all(at.accountId, accountsPerSlice) as unknown as { id: IdBytes }[];
  for (const { id } of accounts) {
    const some = removeOldOfAccount(connection, id, bound, deliveriesPerSlice - removed, isOver);
    removed += some.removed;
    // A slice that ran full stays before this account.
    if (!some.isThrough) return { removed, next: at };
    at = { ...start, accountId: id };
    if (isOver()) return { removed, next: at };
  }
  return { removed, next: accounts.length < accountsPerSlice ? null : at };
}

function removeOldOfAccount(
  connection: Connection,
  accountId: IdBytes,
  bound: IdBytes,
  most: number,
  isOver: () => boolean,
): Some {
  const old = connection
    .prepare('SELECT id FROM deliveries WHERE account_id = ? AND id < ? AND status <> ? LIMIT ?')
    .all(accountId, bound, deliveryStatusCodes.encode('pending'), most) as unknown as { id: IdBytes }[];
  const attempts = connection.prepare('DELETE FROM attempts WHERE account_id = ? AND delivery_id = ?');
  const requests = connection.prepare('DELETE FROM delivery_requests WHERE account_id = ? AND delivery_id = ?');
  const contents = connection.prepare('DELETE FROM delivery_contents WHERE account_id = ? AND delivery_id = ?');
  const deliveries = connection.prepare('DELETE FROM deliveries WHERE account_id = ? AND id = ?');
  let removed = 0;
  for (const { id } of old) {
    // One goes in any case, or a slice could end as it began.
    if (removed > 0 && isOver()) return { removed, isThrough: false };
    attempts.run(accountId, id);
    requests.run(accountId, id);
    contents.run(accountId, id);
    deliveries.run(accountId, id);
    removed++;
  }
  const left = most - removed;
  const alerts = connection
    .prepare(
      `DELETE FROM alerts WHERE account_id = ?1 AND id IN (
         SELECT id FROM alerts WHERE account_id = ?1 AND id < ?2 ORDER BY id LIMIT ?3)`,
    )
    .run(accountId, bound, left);
  removed += Number(alerts.changes);
  return { removed, isThrough: removed < most };
}

/** Pings of a few heartbeats. */
function removeOldPings(connection: Connection, after: Place | null, { before, isOver }: Bounds): Slice {
  const bound = firstIdAt(before);
  let at = after ?? start;
  let [looked, removed] = [0, 0];
  while (looked < checksPerSlice && removed < rowsPerSlice && !isOver()) {
    const check = nextCheck(connection, 'pings', at);
    if (check === null) return { removed, next: null };
    const some = removeOldest(connection, 'pings', 'id', check, bound, rowsPerStatement);
    removed += some;
    if (some >= rowsPerStatement) continue;
    at = check;
    looked++;
  }
  return { removed, next: at };
}

/** Answers kept for calls that are repeated with their idempotency key: for a day. */
function removeOldAnswers(connection: Connection, after: Place | null, { now }: Bounds): Slice {
  const { changes } = connection
    .prepare(
      `DELETE FROM idempotency_keys WHERE (account_id, key, operation) IN (
         SELECT account_id, key, operation FROM idempotency_keys WHERE created_at < ? LIMIT ?)`,
    )
    .run(now - 86_400_000, rowsPerSlice);
  return { removed: Number(changes), next: Number(changes) < rowsPerSlice ? null : (after ?? start) };
}
