// Writes several rows per statement: executing a statement costs as much as a quarter of a row.
import { type RowUpdate, updateStatement, type Writes } from '../statements.ts';
import { type Connection, numbered, type Values } from './connection.ts';

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

/** Writes rows in order; returns how many changed. @param valuesOf values in the order of the statement's columns */
export function writeRows<Row>(
  connection: Connection,
  { one, many }: RowsStatement,
  rows: readonly Row[],
  valuesOf: (row: Row) => Values,
): number {
  const values: Values = [];
  let [at, filled, changed] = [0, 0, 0];
  for (const end = rows.length - (rows.length % rowsAtOnce); at < end;) {
    for (const value of valuesOf(rows[at++] as Row)) values[filled++] = value;
    if (at % rowsAtOnce !== 0) continue;
    changed += Number(connection.prepare(many).run(...values).changes);
    filled = 0;
  }
  for (; at < rows.length; at++) {
    changed += Number(connection.prepare(one).run(...valuesOf(rows[at] as Row)).changes);
  }
  return changed;
}

/** Statements by table, columns and ending, so that equal texts are one. */
const inserts = new Map<string, RowsStatement>();

/**
 * Inserts rows that all have the same columns, by their names; returns how many were inserted or changed.
 * @param ending what follows the rows: ON CONFLICT …
 */
export function insertRows(connection: Connection, table: string, rows: readonly object[], ending = ''): number {
  const [first] = rows;
  if (first === undefined) return 0;
  const columns = Object.keys(first);
  const into = `${table} (${columns.join(', ')})`;
  const key = `${into} ${ending}`;
  const statement =
    inserts.get(key) ?? rowsStatement(columns.length, (list) => `INSERT INTO ${into} VALUES ${list} ${ending}`);
  inserts.set(key, statement);
  return writeRows(connection, statement, rows as readonly Record<string, Values[number]>[], (row) =>
    columns.map((column) => row[column] as Values[number]),
  );
}

/** Inserts a row by the names of its columns; returns whether it was inserted or changed. */
export function insertRow(connection: Connection, table: string, row: object, ending = ''): boolean {
  return insertRows(connection, table, [row], ending) === 1;
}

/** Updates a row. */
export function updateRow<Column extends string>(
  connection: Connection,
  update: RowUpdate<Column>,
  row: Readonly<Record<Column, Values[number]>>,
): void {
  const columns = [...update.set, ...update.keys];
  const statement = updateStatement(update, (column) => `?${columns.indexOf(column) + 1}`);
  connection.prepare(statement).run(...columns.map((column) => row[column]));
}

/** Writes at once. */
export function writesOn(connection: Connection): Writes {
  return {
    send: (table, rows, ending) => void insertRows(connection, table, rows, ending),
    change: ({ text, values }) => void connection.prepare(numbered(text)).run(...(values as Values)),
  };
}
