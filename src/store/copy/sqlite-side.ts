// A SQLite file as a side of a copy.
import { existsSync } from 'node:fs';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { systemClock } from '#lib/clock.ts';
import { sqliteDialect } from '../base/dialect.ts';
import { checkVersion } from './version.ts';
import { type Cell, type Row, selectOf, type TableShape } from './shape.ts';
import type { Side, Writing } from './side.ts';
import { type Connection, openConnection } from '../engines/sqlite/connection.ts';
import { DatabaseOpenError } from '../engines/sqlite/check-file.ts';
import { openErrorOf, openSqliteFile, takeLock } from '../engines/sqlite/file.ts';

/** The source, which is never migrated, and locked while it is open. Throws DatabaseOpenError. */
export async function openSqliteSource(path: string, mode: 'read' | 'write'): Promise<Side> {
  if (!existsSync(path)) throw new DatabaseOpenError(`there is no database at ${path}`);
  const lock = takeLock(path);
  return openedSide(path, mode, () => lock.close());
}

/** The target, which is created and migrated if necessary, and locked while it is open. */
export async function openSqliteTarget(path: string): Promise<Side> {
  const file = openSqliteFile(path);
  // In addition to the file's own writer, which is idle meanwhile.
  return openedSide(path, 'write', () => file.close());
}

/** A file to read while its service may be running. Throws DatabaseOpenError. */
export async function openSqliteReader(path: string): Promise<Side> {
  if (!existsSync(path)) throw new DatabaseOpenError(`there is no database at ${path}: start Tocsin with it once`);
  return openedSide(path, 'read', () => {});
}

/** @param release called after closing the connection */
async function openedSide(path: string, mode: 'read' | 'write', release: () => void | Promise<void>): Promise<Side> {
  const shown = `${sqliteDialect.name}:${path}`;
  const opened: Connection[] = [];
  const close = async (): Promise<void> => {
    for (const connection of opened) connection.close();
    await release();
  };
  try {
    const connection = openConnection(path, mode);
    opened.push(connection);
    const version = connection.database.prepare('PRAGMA user_version').get();
    checkVersion(shown, Number(version?.['user_version']));
    return sideOf(shown, connection, close);
  } catch (error) {
    await close();
    throw openErrorOf(path, error);
  }
}

function sideOf(shown: string, connection: Connection, close: () => Promise<void>): Side {
  const { database } = connection;
  const prepare = (sql: string): StatementSync => connection.prepare(sql);
  return {
    engine: 'sqlite',
    shown,
    tables: readTables(database),
    read(table, slice, after, max) {
      const { sql, values } = selectOf(table, slice, after, max, () => '?');
      return Promise.resolve(prepare(sql).all(...(values as SQLInputValue[])) as Row[]);
    },
    count: ({ name }) => Promise.resolve(Number(prepare(`SELECT count(*) AS n FROM ${name}`).get()?.['n'])),
    query: (sql, values) => Promise.resolve(prepare(sql).all(...(values as SQLInputValue[])) as Row[]),
    now: () => Promise.resolve(systemClock.now()),
    async write(work) {
      prepare('BEGIN IMMEDIATE').run();
      try {
        const answer = await work(writingOn(connection));
        prepare('COMMIT').run();
        return answer;
      } catch (error) {
        if (database.isTransaction) prepare('ROLLBACK').run();
        throw error;
      }
    },
    prepare: () => Promise.resolve(),
    settle: () => Promise.resolve(database.exec('PRAGMA wal_checkpoint(TRUNCATE)')),
    // A process that uses the file holds its lock.
    usedBy: () => Promise.resolve(null),
    close,
  };
}

function writingOn(connection: Connection): Writing {
  const prepare = (sql: string): StatementSync => connection.prepare(sql);
  return {
    insert(table, rows) {
      const insert = prepare(insertOf(table));
      for (const row of rows) insert.run(...table.columns.map((column) => row[column] ?? null));
      return Promise.resolve();
    },
    clear: ({ name }) => Promise.resolve(void prepare(`DELETE FROM ${name}`).run()),
    change: (sql, values) => Promise.resolve(Number(prepare(sql).run(...(values as SQLInputValue[])).changes)),
    query: (sql, values) => Promise.resolve(prepare(sql).all(...(values as SQLInputValue[])) as Row[]),
  };
}

function insertOf({ name, columns }: TableShape): string {
  return `INSERT INTO ${name} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
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
    return {
      name: String(name),
      columns: columns.map((column) => String(column['name'])),
      key: key.map((column) => String(column['name'])),
    };
  });
}
