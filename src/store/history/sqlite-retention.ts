// Deletes old data in slices that block the event loop only briefly.
import type { CheckKey } from '../roll-ups/roll-up-progress.ts';
import { type IdBytes, firstIdAt } from '../base/codec.ts';
import { deliveryStatusCodes } from '../base/codes.ts';
import type { Retention } from './retention.ts';
import type { Connection } from '../engines/sqlite/connection.ts';
import type { SqliteFile } from '../engines/sqlite/file.ts';

/**
 * Processes one kind of row after the other; a slice continues where the previous one ended.
 * @param steadyNow monotonic clock, ms
 */
export function createSqliteRetention(file: SqliteFile, steadyNow: () => number): Retention {
  let sort = 0;
  let place: CheckKey | null = null;
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

/** Limits of a slice. */
interface Bounds {
  /** Times before which rows are deleted, epoch ms. */
  readonly before: number;
  readonly now: number;
  readonly resultsBefore: number;
  /** Whether its time is up. */
  readonly isOver: () => boolean;
}

/** What a slice deleted, and where the next one continues; null = finished. */
interface Slice {
  readonly removed: number;
  readonly next: CheckKey | null;
}

const sorts = [removeOldResults, removeOldDeliveries, removeOldPings, removeOldAnswers] as const;
/** For an iteration over accounts, the check of a position is empty. */
const start: CheckKey = { accountId: new Uint8Array(), checkId: new Uint8Array() };

/**
 * Time after which a slice ends, ms, wherever it is: on a slow machine or with scattered rows it deletes fewer. Its
 * commit takes about as long again.
 */
const sliceMs = 5;
/** Number of rows after which a slice ends, and maximum per statement; the time is checked after each statement. */
const rowsPerSlice = 400;
const rowsPerStatement = 100;
const checksPerSlice = 20;
const accountsPerSlice = 100;
/** Deliveries and alerts per slice: a delivery has rows in three tables and four indexes. */
const deliveriesPerSlice = 100;
/** Asset chunks: each is spread over a hundred pages. */
const partsPerStatement = 8;

/** Results, exchanges and assets of a few checks. The key sorts by time within a check, so old rows are a range. */
function removeOldResults(connection: Connection, after: CheckKey | null, bounds: Bounds): Slice {
  const bound = firstIdAt(bounds.resultsBefore);
  return removeOfChecks(connection, 'results', after, bounds, (check) =>
    hasLateHours(connection, check) ? nothing : removeSomeOf(connection, check, bound),
  );
}

/** Pings of a few heartbeats. */
function removeOldPings(connection: Connection, after: CheckKey | null, bounds: Bounds): Slice {
  const bound = firstIdAt(bounds.before);
  return removeOfChecks(connection, 'pings', after, bounds, (check) => {
    const removed = removeOldest(connection, 'pings', 'id', check, bound, rowsPerStatement);
    return { removed, isThrough: removed < rowsPerStatement };
  });
}

function removeOfChecks(
  connection: Connection,
  table: 'results' | 'pings',
  after: CheckKey | null,
  { isOver }: Bounds,
  remove: (check: CheckKey) => Some,
): Slice {
  let at = after ?? start;
  let [inspected, removed] = [0, 0];
  while (inspected < checksPerSlice && removed < rowsPerSlice && !isOver()) {
    const check = nextCheck(connection, table, at);
    if (check === null) return { removed, next: null };
    const some = remove(check);
    removed += some.removed;
    // If a check has more, this or the next slice continues with it.
    if (!some.isThrough) continue;
    at = check;
    inspected++;
  }
  return { removed, next: at };
}

/** What was deleted of a check or an account, and whether that was all. */
interface Some {
  readonly removed: number;
  readonly isThrough: boolean;
}

const nothing: Some = { removed: 0, isThrough: true };

/** Results last, because a check without results is not found again. */
const ofResults = [
  { table: 'result_assets', key: 'result_id', max: rowsPerStatement },
  { table: 'asset_parts', key: 'result_id', max: partsPerStatement },
  { table: 'exchanges', key: 'result_id', max: rowsPerStatement },
  { table: 'results', key: 'id', max: rowsPerStatement },
] as const;

/** One kind after the other, until one has more than fits into a slice. */
function removeSomeOf(connection: Connection, check: CheckKey, bound: IdBytes): Some {
  let removed = 0;
  for (const { table, key, max } of ofResults) {
    const some = removeOldest(connection, table, key, check, bound, max);
    removed += some;
    if (some >= max) return { removed, isThrough: false };
  }
  return { removed, isThrough: true };
}

/**
 * Checks with results or pings, iterated by key, whether the check still exists or not. Two statements, because for
 * `(account_id, check_id) > (?, ?)` SQLite would read every row of the previous check.
 */
function nextCheck(
  connection: Connection,
  table: 'results' | 'pings',
  { accountId, checkId }: CheckKey,
): CheckKey | null {
  const first = (place: string) =>
    connection.prepare(
      `SELECT account_id, check_id FROM ${table} WHERE ${place} ORDER BY account_id, check_id LIMIT 1`,
    );
  const row =
    first('account_id = ? AND check_id > ?').get(accountId, checkId) ?? first('account_id > ?').get(accountId);
  return row === undefined ? null : { accountId: row['account_id'] as IdBytes, checkId: row['check_id'] as IdBytes };
}

/** Keeps all results of a check with hours that must be rolled up again. */
function hasLateHours(connection: Connection, { accountId, checkId }: CheckKey): boolean {
  const late = connection.prepare('SELECT 1 FROM late_hours WHERE account_id = ? AND check_id = ? LIMIT 1');
  return late.get(accountId, checkId) !== undefined;
}

function removeOldest(
  connection: Connection,
  table: 'results' | 'exchanges' | 'result_assets' | 'asset_parts' | 'pings',
  key: 'id' | 'result_id',
  { accountId, checkId }: CheckKey,
  bound: IdBytes,
  max: number,
): number {
  const { changes } = connection
    .prepare(
      `DELETE FROM ${table} WHERE account_id = ?1 AND check_id = ?2 AND ${key} IN (
         SELECT ${key} FROM ${table} WHERE account_id = ?1 AND check_id = ?2 AND ${key} < ?3 ORDER BY ${key} LIMIT ?4)`,
    )
    .run(accountId, checkId, bound, max);
  return Number(changes);
}

/** Alerts, ended incidents and finished deliveries of a few accounts, with attempts and requests. */
function removeOldDeliveries(connection: Connection, after: CheckKey | null, bounds: Bounds): Slice {
  let at = after ?? start;
  let removed = 0;
  const accountsAfter = connection.select<{ id: IdBytes }>('SELECT id FROM accounts WHERE id > ? ORDER BY id LIMIT ?');
  const accounts = accountsAfter(at.accountId, accountsPerSlice);
  for (const { id } of accounts) {
    const some = removeOldOfAccount(connection, id, deliveriesPerSlice - removed, bounds);
    removed += some.removed;
    // A full slice stops before this account.
    if (!some.isThrough) return { removed, next: at };
    at = { ...start, accountId: id };
    if (bounds.isOver()) return { removed, next: at };
  }
  return { removed, next: accounts.length < accountsPerSlice ? null : at };
}

const unfinished = [deliveryStatusCodes.encode('pending'), deliveryStatusCodes.encode('collecting')];

function removeOldOfAccount(connection: Connection, accountId: IdBytes, max: number, { before, isOver }: Bounds): Some {
  const bound = firstIdAt(before);
  const oldOnes = connection.select<{ id: IdBytes }>(
    'SELECT id FROM deliveries WHERE account_id = ? AND id < ? AND status NOT IN (?, ?) LIMIT ?',
  );
  const remove = ['attempts', 'delivery_requests', 'delivery_contents', 'deliveries'].map((table) =>
    connection.prepare(
      `DELETE FROM ${table} WHERE account_id = ? AND ${table === 'deliveries' ? 'id' : 'delivery_id'} = ?`,
    ),
  );
  let removed = 0;
  for (const { id } of oldOnes(accountId, bound, ...unfinished, max)) {
    // At least one is deleted, so that a slice always makes progress.
    if (removed > 0 && isOver()) return { removed, isThrough: false };
    for (const statement of remove) statement.run(accountId, id);
    removed++;
  }
  const left = max - removed;
  const alerts = connection
    .prepare(
      `DELETE FROM alerts WHERE account_id = ?1 AND id IN (
         SELECT id FROM alerts WHERE account_id = ?1 AND id < ?2 ORDER BY id LIMIT ?3)`,
    )
    .run(accountId, bound, left);
  removed += Number(alerts.changes);
  // Keeps open incidents of any age.
  const incidents = connection
    .prepare(
      `DELETE FROM incidents WHERE account_id = ?1 AND id IN (
         SELECT id FROM incidents WHERE account_id = ?1 AND id < ?2 AND ended_at < ?3 ORDER BY id LIMIT ?4)`,
    )
    .run(accountId, bound, before, max - removed);
  removed += Number(incidents.changes);
  return { removed, isThrough: removed < max };
}

/** Responses stored for repeated calls with an idempotency key: for a day. */
function removeOldAnswers(connection: Connection, after: CheckKey | null, { now }: Bounds): Slice {
  const { changes } = connection
    .prepare(
      `DELETE FROM idempotency_keys WHERE (account_id, key, operation) IN (
         SELECT account_id, key, operation FROM idempotency_keys WHERE created_at < ? LIMIT ?)`,
    )
    .run(now - 86_400_000, rowsPerSlice);
  return { removed: Number(changes), next: Number(changes) < rowsPerSlice ? null : (after ?? start) };
}
