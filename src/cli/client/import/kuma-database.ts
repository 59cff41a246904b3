// Reads the SQLite database of Uptime Kuma. It is opened read-only.
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { readFailure } from '#files/load-files.ts';
import type { KumaTables } from '#importers/kuma/import-kuma.ts';
import type { Foreign } from '#importers/values.ts';
import { CommandError } from '../../exits.ts';

/** Most rows of a table. */
const mostRows = 100_000;
const tables = [
  'monitor',
  'notification',
  'monitor_notification',
  'tag',
  'monitor_tag',
  'maintenance',
  'monitor_maintenance',
  'setting',
] as const;
/** Tables without which a database is not one of Uptime Kuma. */
const required: readonly string[] = ['monitor', 'notification', 'monitor_notification', 'heartbeat'];

/**
 * Reads the tables with the configuration.
 * @throws {CommandError} if the file is cut, damaged, or of another program
 */
export function readKumaDatabase(path: string): KumaTables {
  checkWhole(path);
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path, { readOnly: true });
    return readTables(path, database);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(readFailure(path, error));
  } finally {
    database?.close();
  }
}

function readTables(path: string, database: DatabaseSync): KumaTables {
  const names = database.prepare("select name from sqlite_master where type = 'table'").all();
  const present = new Set(names.map(({ name }) => String(name)));
  const missing = required.find((name) => !present.has(name));
  if (missing !== undefined) {
    throw new CommandError(`${path} is not a database of Uptime Kuma: it has no table ${missing}`);
  }
  const read = (name: string): readonly Foreign[] => {
    if (!present.has(name)) return [];
    const rows = database.prepare(`select * from "${name}" limit ${mostRows + 1}`).all();
    if (rows.length > mostRows) throw new CommandError(`${path}: the table ${name} has more than ${mostRows} rows`);
    return rows;
  };
  return Object.fromEntries(tables.map((name) => [name, read(name)])) as unknown as KumaTables;
}

/** The header of SQLite names the number of pages, so that a cut file is noticed whatever is read of it. */
function checkWhole(path: string): void {
  const header = Buffer.alloc(100);
  let size: number;
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, header, 0, 100, 0);
    } finally {
      closeSync(file);
    }
    size = statSync(path).size;
  } catch (error) {
    throw new CommandError(readFailure(path, error));
  }
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
    throw new CommandError(`${path} is not an SQLite database. Uptime Kuma stores its database at data/kuma.db`);
  }
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  const pages = header.readUInt32BE(28);
  const isCurrent = header.readUInt32BE(24) === header.readUInt32BE(92);
  if (isCurrent && pages * pageSize > size) {
    throw new CommandError(`${path} is cut: it has ${size} of ${pages * pageSize} bytes. Copy it again`);
  }
}
