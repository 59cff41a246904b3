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
  const database = new DatabaseSync(copy);
  try {
    database.prepare('ATTACH DATABASE ? AS old').run(replaced);
    database.exec('BEGIN IMMEDIATE');
    const carried = { states: 0, deliveries: 0 };
    for (const account of newerAccounts(database)) {
      carryNotified(database, account);
      carryIncidents(database, account);
      carryStorm(database, account);
      carried.states += carryStates(database, account);
      carried.deliveries += carryDeliveries(database, account);
    }
    database.exec('COMMIT');
    return carried;
  } finally {
    database.close();
  }
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

/** Columns that both databases have, in the order of the restored one. */
function columnsOf(database: DatabaseSync, table: string): string[] {
  const of = (schema: string): string[] =>
    database
      .prepare('SELECT name FROM pragma_table_info(?, ?)')
      .all(table, schema)
      .map(({ name }) => String(name));
  const known = new Set(of('old'));
  return of('main').filter((name) => known.has(name));
}

/** Copies open notifications. Deleting a check has already closed its own. */
function carryNotified(database: DatabaseSync, account: Uint8Array): void {
  const columns = columnsOf(database, 'notified').join();
  database.prepare('DELETE FROM main.notified WHERE account_id = ?').run(account);
  database
    .prepare(
      `INSERT INTO main.notified (${columns}) SELECT ${columns} FROM old.notified t WHERE account_id = ?
         AND EXISTS (SELECT 1 FROM main.checks c WHERE c.account_id = t.account_id AND c.id = t.check_id)
         AND EXISTS (SELECT 1 FROM main.alert_channels a WHERE a.account_id = t.account_id AND a.id = t.alert_channel_id)`,
    )
    .run(account);
}

/** Copies the alert storm, whose digests are copied with the deliveries. */
function carryStorm(database: DatabaseSync, account: Uint8Array): void {
  const columns = columnsOf(database, 'alert_storms').join();
  database
    .prepare(
      `INSERT OR REPLACE INTO main.alert_storms (${columns}) SELECT ${columns} FROM old.alert_storms WHERE account_id = ?`,
    )
    .run(account);
}

/** Copies incidents of states that are copied, and the ends of those that ended after the backup. */
function carryIncidents(database: DatabaseSync, account: Uint8Array): void {
  const columns = columnsOf(database, 'incidents').join();
  database
    .prepare(
      `INSERT OR REPLACE INTO main.incidents (${columns}) SELECT ${columns} FROM old.incidents i WHERE account_id = ?1
         AND (EXISTS (SELECT 1 FROM main.incidents m WHERE m.account_id = ?1 AND m.id = i.id AND m.ended_at IS NULL)
           OR ended_at IS NULL AND EXISTS (SELECT 1 FROM main.checks c WHERE c.account_id = ?1 AND c.id = i.check_id))`,
    )
    .run(account);
}

/**
 * Copies check states, so that known failures are not alerted again. Checks deleted after the backup start without
 * state.
 */
function carryStates(database: DatabaseSync, account: Uint8Array): number {
  const columns = columnsOf(database, 'check_states');
  const values = columns.map((name) =>
    name === 'last_result_id'
      ? `(SELECT r.id FROM main.results r WHERE r.account_id = s.account_id AND r.check_id = s.check_id
           AND r.id = s.last_result_id)`
      : `s.${name}`,
  );
  const { changes } = database
    .prepare(
      `INSERT OR REPLACE INTO main.check_states (${columns.join()}) SELECT ${values.join()} FROM old.check_states s
       WHERE s.account_id = ? AND EXISTS (SELECT 1 FROM main.checks c WHERE c.account_id = s.account_id AND c.id = s.check_id)`,
    )
    .run(account);
  database
    .prepare(
      `UPDATE main.check_states SET alerted = NULL, incident_id = NULL, incident_started_at = NULL, acknowledged_at = NULL
       WHERE account_id = ?1
         AND check_id NOT IN (SELECT id FROM old.checks WHERE account_id = ?1)`,
    )
    .run(account);
  return Number(changes);
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
  for (const [table, id] of [
    ['deliveries', 'id'],
    ['delivery_requests', 'delivery_id'],
    ['delivery_contents', 'delivery_id'],
    ['attempts', 'delivery_id'],
  ] as const) {
    const columns = columnsOf(database, table).join();
    database
      .prepare(
        `INSERT OR REPLACE INTO main.${table} (${columns}) SELECT ${columns} FROM old.${table}
         WHERE account_id = ? AND ${id} IN (SELECT id FROM touched)`,
      )
      .run(account);
  }
  return Number(database.prepare('SELECT count(*) AS n FROM touched').get()?.['n']);
}
