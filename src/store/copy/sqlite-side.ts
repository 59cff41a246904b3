// A SQLite file as a side of a copy.
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { systemClock } from '#lib/clock.ts';
import { sqliteDialect } from '../base/dialect.ts';
import type { Cell, TableShape } from './table.ts';
import { checkVersion, type Side, type SideUse } from './side.ts';
import { type Connection, openConnection } from '../engines/sqlite/connection.ts';
import { DatabaseOpenError } from '../engines/sqlite/check-file.ts';
import { openErrorOf, openSqliteFile, takeLock } from '../engines/sqlite/file.ts';
import { rowsStatement, writeRows } from '../engines/sqlite/many-rows.ts';

/** Opens the file, and locks it unless it is only read. Throws DatabaseOpenError. */
export async function openSqliteSide(path: string, use: SideUse): Promise<Side> {
  if (use !== 'fill' && !existsSync(path)) {
    const advice = use === 'read' ? ': start Tocsin with it once' : '';
    throw new DatabaseOpenError(`there is no database at ${path}${advice}`);
  }
  // A target is opened in addition to the file's own writer, which is idle meanwhile.
  const holder = use === 'read' ? null : use === 'fill' ? openSqliteFile(path) : takeLock(path);
  const shown = `${sqliteDialect.name}:${path}`;
  let connection: Connection | null = null;
  const close = async (): Promise<void> => {
    connection?.close();
    await holder?.close();
  };
  try {
    connection = openConnection(path, use === 'read' || use === 'copy' ? 'read' : 'write');
    checkVersion(shown, Number(connection.prepare('PRAGMA user_version').get()?.['user_version']));
    return sideOf(shown, connection, close);
  } catch (error) {
    await close();
    throw openErrorOf(path, error);
  }
}

function sideOf(shown: string, connection: Connection, close: () => Promise<void>): Side {
  const { database, kysely } = connection;
  return {
    shown,
    tables: readTables(database),
    reader: kysely,
    transaction: (work) => kysely.transaction().execute(work),
    insert(_tx, { name, columns }, rows) {
      const statement = rowsStatement(
        columns.length,
        (list) => `INSERT INTO ${name} (${columns.join(', ')}) VALUES ${list}`,
      );
      writeRows(connection, statement, rows, (row) => columns.map((column) => row[column] ?? null));
      return Promise.resolve();
    },
    clear: (tx, { name }) => sql`DELETE FROM ${sql.table(name)}`.execute(tx),
    now: () => Promise.resolve(systemClock.now()),
    prepare: () => Promise.resolve(),
    settle: () => Promise.resolve(database.exec('PRAGMA wal_checkpoint(TRUNCATE)')),
    // A process that uses the file holds its lock.
    usedBy: () => Promise.resolve(null),
    close,
  };
}

function readTables(database: DatabaseSync): TableShape[] {
  const names = database
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
    )
    .all();
  return names.map(({ name }) => {
    const columns = database.prepare('SELECT name, pk FROM pragma_table_info(?) ORDER BY cid').all(name as Cell);
    const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a['pk']) - Number(b['pk']));
    const [all, keyed] = [columns, key].map((list) => list.map((column) => String(column['name'])));
    return { name: String(name), columns: all ?? [], key: keyed ?? [] };
  });
}
