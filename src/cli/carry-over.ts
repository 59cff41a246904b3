// What a restore takes over from the database that it replaces: what people were notified of since the backup was made, so
// that recoveries are still sent, and nothing is sent twice (docs/decisions/0119).
import { DatabaseSync } from 'node:sqlite';
import { deliveryStatusCodes } from '#store/base/codes.ts';

/** What was taken over. */
export interface CarriedOver {
  /** Checks whose state is that of the replaced database. */
  readonly states: number;
  /** Deliveries that ended after the backup, or were made after it and still wait. */
  readonly deliveries: number;
}

const pending = deliveryStatusCodes.encode('pending');

/**
 * Writes it into the restored copy. Accounts that only one of the two knows, and those that the replaced database knows
 * nothing newer of, stay as they are. Nothing is written unless all of it is.
 *
 * @param copy the restored copy, aside
 * @param replaced the database that will be replaced
 */
export function carryOver(copy: string, replaced: string): CarriedOver {
  const database = new DatabaseSync(copy);
  try {
    database.prepare('ATTACH DATABASE ? AS old').run(replaced);
    database.exec('BEGIN IMMEDIATE');
    const carried = { states: 0, deliveries: 0 };
    for (const account of newerAccounts(database)) {
      carryTold(database, account);
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

/** Columns that both have, in their order. */
function columnsOf(database: DatabaseSync, table: string): string[] {
  const of = (schema: string): string[] =>
    database
      .prepare('SELECT name FROM pragma_table_info(?, ?)')
      .all(table, schema)
      .map(({ name }) => String(name));
  const known = new Set(of('old'));
  return of('main').filter((name) => known.has(name));
}

/** Who was notified of what is open. A check that was deleted since was closed by that. */
function carryTold(database: DatabaseSync, account: Uint8Array): void {
  const columns = columnsOf(database, 'told').join();
  database.prepare('DELETE FROM main.told WHERE account_id = ?').run(account);
  database
    .prepare(
      `INSERT INTO main.told (${columns}) SELECT ${columns} FROM old.told t WHERE account_id = ?
         AND EXISTS (SELECT 1 FROM main.checks c WHERE c.account_id = t.account_id AND c.id = t.check_id)
         AND EXISTS (SELECT 1 FROM main.alert_channels a WHERE a.account_id = t.account_id AND a.id = t.alert_channel_id)`,
    )
    .run(account);
}

/** States go with it, or a failure that people know of would be alerted again; a check that was deleted since begins anew. */
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
      `UPDATE main.check_states SET alerted = NULL WHERE account_id = ?1
         AND check_id NOT IN (SELECT id FROM old.checks WHERE account_id = ?1)`,
    )
    .run(account);
  return Number(changes);
}

/** Deliveries that waited then may have ended since; others were made since, and wait. */
function carryDeliveries(database: DatabaseSync, account: Uint8Array): number {
  const of = (schema: string): string => `${schema}.deliveries d WHERE d.account_id = ?1 AND d.status`;
  database.exec('CREATE TEMP TABLE IF NOT EXISTS touched (id BLOB PRIMARY KEY); DELETE FROM touched');
  database
    .prepare(
      `INSERT INTO touched SELECT d.id FROM ${of('main')} = ${pending}
         AND EXISTS (SELECT 1 FROM old.deliveries o WHERE o.account_id = ?1 AND o.id = d.id AND o.status <> ${pending})
       UNION SELECT d.id FROM ${of('old')} = ${pending}
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
