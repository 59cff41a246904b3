// Carries alert state from a replaced database into a restored backup, so that recoveries are sent and nothing is sent
// twice (docs/decisions/0119).
import { DatabaseSync } from 'node:sqlite';
import { deliveryStatusCodes } from '#store/base/codes.ts';

/** Numbers of copied rows. */
export interface CarriedOver {
  /** Check states taken from the replaced database. */
  readonly states: number;
  /** Deliveries finished after the backup, or created after it and still pending. */
  readonly deliveries: number;
}

const pending = deliveryStatusCodes.encode('pending');
const digested = deliveryStatusCodes.encode('digested');
const unfinished = [pending, deliveryStatusCodes.encode('collecting')].join();

/**
 * Copies alert state into the restored copy in one transaction. Skips accounts that are missing in either database and
 * accounts without newer states.
 * @param copy path of the restored copy
 * @param replaced path of the database being replaced
 */
export function carryOver(copy: string, replaced: string): CarriedOver {
  using database = new DatabaseSync(copy);
  database.prepare('ATTACH DATABASE ? AS old').run(replaced);
  database.exec('BEGIN IMMEDIATE');
  const carried = { states: 0, deliveries: 0 };
  for (const account of newerAccounts(database)) {
    carryNotified(database, account);
    // Its digests are copied with the deliveries.
    carry(database, account, 'alert_storms');
    carryIncidents(database, account);
    carried.states += carryStates(database, account);
    carried.deliveries += carryDeliveries(database, account);
  }
  database.exec('COMMIT');
  return carried;
}

function newerAccounts(database: DatabaseSync): Uint8Array[] {
  const newest = (schema: string): string =>
    `(SELECT coalesce(max(updated_at), 0) FROM ${schema}.check_states s WHERE s.account_id = a.id)`;
  const rows = database
    .prepare(
      `SELECT a.id FROM main.accounts a JOIN old.accounts o ON o.id = a.id WHERE ${newest('old')} > ${newest('main')}`,
    )
    .all();
  return rows.map(({ id }) => id as Uint8Array);
}

/**
 * Copies rows of the replaced database, in the columns that both databases have, over those with the same keys. Without
 * `condition`, all rows of the account.
 * @param condition for a row `o`; `?1` is the account
 * @param values expressions of columns that are not copied as they are
 * @returns number of copied rows
 */
function carry(
  database: DatabaseSync,
  account: Uint8Array,
  table: string,
  condition = 'true',
  values: Readonly<Record<string, string>> = {},
): number {
  const columns = database
    .prepare(
      `SELECT name FROM pragma_table_info(?1, 'main') WHERE name IN (SELECT name FROM pragma_table_info(?1, 'old'))`,
    )
    .all(table)
    .map(({ name }) => String(name));
  const { changes } = database
    .prepare(
      `INSERT OR REPLACE INTO main.${table} (${columns.join()})
       SELECT ${columns.map((name) => values[name] ?? `o.${name}`).join()} FROM old.${table} o
       WHERE o.account_id = ?1 AND (${condition})`,
    )
    .run(account);
  return Number(changes);
}

/** Condition: the restored database has the row of a table with the ID in a column of `o`. */
function isRestored(table: string, column: string, and = ''): string {
  return `EXISTS (SELECT 1 FROM main.${table} m WHERE m.account_id = ?1 AND m.id = o.${column} ${and})`;
}

/** Copies open notifications. Deleting a check has already closed its own. */
function carryNotified(database: DatabaseSync, account: Uint8Array): void {
  database.prepare('DELETE FROM main.notified WHERE account_id = ?').run(account);
  const isRelated = `${isRestored('checks', 'check_id')} AND ${isRestored('alert_channels', 'alert_channel_id')}`;
  carry(database, account, 'notified', isRelated);
}

/** Copies incidents of states that are copied, and the ends of those that ended after the backup. */
function carryIncidents(database: DatabaseSync, account: Uint8Array): void {
  const wasOpen = isRestored('incidents', 'id', 'AND m.ended_at IS NULL');
  carry(database, account, 'incidents', `${wasOpen} OR o.ended_at IS NULL AND ${isRestored('checks', 'check_id')}`);
}

/**
 * Copies check states, so that known failures are not alerted again. Checks deleted after the backup start without
 * state.
 */
function carryStates(database: DatabaseSync, account: Uint8Array): number {
  const states = carry(database, account, 'check_states', isRestored('checks', 'check_id'), {
    last_result_id: `(SELECT r.id FROM main.results r WHERE r.account_id = ?1 AND r.check_id = o.check_id
      AND r.id = o.last_result_id)`,
  });
  database
    .prepare(
      `UPDATE main.check_states SET alerted = NULL, incident_id = NULL, incident_started_at = NULL, acknowledged_at = NULL
       WHERE account_id = ?1
         AND check_id NOT IN (SELECT id FROM old.checks WHERE account_id = ?1)`,
    )
    .run(account);
  return states;
}

/** Copies deliveries that finished after the backup, and pending ones created after it with the alerts of digests. */
function carryDeliveries(database: DatabaseSync, account: Uint8Array): number {
  const of = (schema: string): string => `${schema}.deliveries d WHERE d.account_id = ?1 AND d.status`;
  database.exec('CREATE TEMP TABLE IF NOT EXISTS touched (id BLOB PRIMARY KEY); DELETE FROM touched');
  database
    .prepare(
      `INSERT INTO touched SELECT d.id FROM ${of('main')} IN (${unfinished})
         AND EXISTS (SELECT 1 FROM old.deliveries o WHERE o.account_id = ?1 AND o.id = d.id AND o.status <> d.status)
       UNION SELECT d.id FROM ${of('old')} IN (${unfinished}, ${digested})
         AND (d.status <> ${digested} OR EXISTS (SELECT 1 FROM old.deliveries o
           WHERE o.account_id = ?1 AND o.id = d.digest_id AND o.status IN (${unfinished})))
         AND NOT EXISTS (SELECT 1 FROM main.deliveries m WHERE m.account_id = ?1 AND m.id = d.id)
         AND EXISTS (SELECT 1 FROM main.alert_channels a WHERE a.account_id = ?1 AND a.id = d.alert_channel_id)`,
    )
    .run(account);
  countNew(database, account);
  carry(database, account, 'deliveries', 'o.id IN touched');
  for (const table of ['delivery_requests', 'delivery_contents', 'attempts']) {
    carry(database, account, table, 'o.delivery_id IN touched');
  }
  return Number(database.prepare('SELECT count(*) AS n FROM touched').get()?.['n']);
}

/** Counts the deliveries that are copied and were not in the backup, for the ledger. */
function countNew(database: DatabaseSync, account: Uint8Array): void {
  database
    .prepare(
      `INSERT INTO main.account_counts (account_id, hour, deliveries)
       SELECT ?1, o.created_at / 3600000, count(*) FROM old.deliveries o WHERE o.account_id = ?1 AND o.id IN touched
         AND NOT EXISTS (SELECT 1 FROM main.deliveries m WHERE m.account_id = ?1 AND m.id = o.id) GROUP BY 2
       ON CONFLICT (account_id, hour) DO UPDATE SET deliveries = account_counts.deliveries + excluded.deliveries`,
    )
    .run(account);
}
