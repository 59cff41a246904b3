// Writes several rows per statement: executing a statement costs as much as a quarter of a row.
import type { Connection, Values } from './connection.ts';

/** Rows per statement; more would not be cheaper per row. */
const rowsAtOnce = 20;

/** Statements by number of rows. */
export interface RowsStatement {
  readonly one: string;
  readonly many: string;
}

/**
 * A statement that writes rows with a number of columns.
 * @param textOf the statement around its list of rows, such as `(?, ?), (?, ?)`
 */
export function rowsStatement(columns: number, textOf: (rows: string) => string): RowsStatement {
  const row = `(${Array.from({ length: columns }, () => '?').join(', ')})`;
  return { one: textOf(row), many: textOf(Array.from({ length: rowsAtOnce }, () => row).join(', ')) };
}

/** Writes rows in order. @param valuesOf values in the order of the statement's columns */
export function writeRows<Row>(
  connection: Connection,
  { one, many }: RowsStatement,
  rows: readonly Row[],
  valuesOf: (row: Row) => Values,
): void {
  const values: Values = [];
  let [at, filled] = [0, 0];
  for (const end = rows.length - (rows.length % rowsAtOnce); at < end;) {
    for (const value of valuesOf(rows[at++] as Row)) values[filled++] = value;
    if (at % rowsAtOnce !== 0) continue;
    connection.prepare(many).run(...values);
    filled = 0;
  }
  for (; at < rows.length; at++) connection.prepare(one).run(...valuesOf(rows[at] as Row));
}

/** Inserts a row by the names of its columns. @param ending what follows the row: ON CONFLICT … */
export function insertRow(connection: Connection, table: string, row: object, ending = ''): void {
  const columns = Object.keys(row);
  connection
    .prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ${ending}`)
    .run(...(Object.values(row) as Values));
}
