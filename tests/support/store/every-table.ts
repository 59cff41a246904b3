// Rows for every table there is, whatever it is: made from the columns that the database itself names.
import { randomBytes } from 'node:crypto';
import type { Cell, TableShape } from '#store/copy/table.ts';
import { insertRow } from './rows.ts';
import type { RawRows } from './raw-rows.ts';

/** Texts that a copy could spoil. */
const texts = ['plain', `it's "quoted" \\ and\nbroken`, 'schön ✓ 🐘', '', '{"a":[1,"b"]}'];

/** Puts rows into a table; `day` (epoch ms) is when their ids say that they were made. */
export function fill(raw: RawRows, { name, columns, key }: TableShape, rows: number, day: number): void {
  const types = typesOf(raw, name);
  for (let row = 0; row < rows; row++) {
    const values = columns.map((column): [string, Cell] => {
      const type = types.get(column) ?? '';
      if (type.startsWith('b') && type !== 'bigint') return [column, idAt(day + row)];
      if (type === 'text') {
        const text = texts[row % texts.length] ?? '';
        const isUnique =
          key.includes(column) || ['token', 'key', 'email', 'definition', 'config', 'answer'].includes(column);
        return [column, isUnique ? `${text}${randomBytes(6).toString('hex')}` : text];
      }
      return [column, row === 1 && column.endsWith('_at') ? 2 ** 52 + row : row];
    });
    insertRow(raw, name, Object.fromEntries(values));
  }
}

/** Adds a table that the program does not know, with an account. */
export function addMadeUpTable(raw: RawRows): void {
  const id = isSqlite(raw) ? 'BLOB' : 'BYTEA';
  raw.exec(`CREATE TABLE made_up (account_id ${id} NOT NULL, name TEXT NOT NULL, PRIMARY KEY (account_id, name))`);
}

/** An id whose first 48 bits are `at`. */
function idAt(at: number): Uint8Array {
  const id = randomBytes(16);
  id.writeUIntBE(at, 0, 6);
  return id;
}

/** Types of the columns in lower case, whichever engine's they are. */
function typesOf(raw: RawRows, table: string): Map<string, string> {
  const rows = isSqlite(raw)
    ? raw.prepare('SELECT name, lower(type) AS type FROM pragma_table_info(?)').all(table)
    : raw
        .prepare('SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_name = ?')
        .all(table);
  return new Map(rows.map(({ name, type }) => [String(name), String(type)]));
}

/** Names of all tables, asked of the database in another way than the product does. */
export function tableNames(raw: RawRows): string[] {
  const rows = isSqlite(raw)
    ? raw
        .prepare(`SELECT tbl_name AS name FROM sqlite_master WHERE type = 'table' AND tbl_name NOT LIKE 'sqlite%'`)
        .all()
    : raw
        .prepare(
          `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'
           AND table_name !~ '_(other|[0-9]{8})$'`,
        )
        .all();
  return rows.map(({ name }) => String(name)).sort();
}

function isSqlite(raw: RawRows): boolean {
  try {
    raw.prepare('SELECT sqlite_version() AS v').get();
    return true;
  } catch {
    return false;
  }
}

/** Every row of a table as text, in an order of its own. */
export function rowsOf(raw: RawRows, table: string): string[] {
  return raw
    .prepare(`SELECT * FROM ${table}`)
    .all()
    .map((row) =>
      Object.keys(row)
        .sort()
        .map((column) => `${column}=${shown(row[column])}`)
        .join(' '),
    )
    .sort();
}

function shown(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return JSON.stringify(value);
}
