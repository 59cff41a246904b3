// Writes many rows in one statement: columns are sent as arrays, whose types are read from the database.
import { listOf, storable } from './lists.ts';
import { type RowUpdate, type Statement, updateStatement } from '../statements.ts';
import type { Session } from './session.ts';

/** Types of columns, by table and column. */
export type ColumnTypes = ReadonlyMap<string, ReadonlyMap<string, string>>;

/**
 * Reads the types of all columns of this schema, from the catalog itself, because the standard views are ten times
 * slower.
 */
export async function readColumnTypes(session: Session): Promise<ColumnTypes> {
  const rows = await session.query<{ in_table: string; name: string; type: string }>(
    `SELECT c.relname AS in_table, a.attname AS name, t.typname AS type
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attnum > 0 AND NOT a.attisdropped`,
  );
  const tables = Map.groupBy(rows, ({ in_table }) => in_table);
  return new Map(
    [...tables].map(([table, columns]) => [table, new Map(columns.map(({ name, type }) => [name, type]))]),
  );
}

/** Writes rows of a transaction. */
export function createBulk(session: Session, types: ColumnTypes) {
  return {
    change: ({ text, values }: Statement): void => session.send(text, values),
    /**
     * Inserts rows that all have the same columns; returns the number of inserted ones.
     * @param ending what follows the rows: ON CONFLICT …
     */
    insert: async (table: string, rows: readonly object[], ending = ''): Promise<number> =>
      rows.length === 0 ? 0 : session.change(...insertOf(types, table, rows, ending)),
    /** The same without waiting; the end of the transaction waits. */
    send(table: string, rows: readonly object[], ending = ''): void {
      if (rows.length > 0) session.send(...insertOf(types, table, rows, ending));
    },
    /** Updates rows. Does not wait either. */
    sendUpdate<Column extends string>(
      update: RowUpdate<Column>,
      rows: readonly Readonly<Record<Column, unknown>>[],
    ): void {
      if (rows.length === 0) return;
      const columns = [...update.set, ...update.keys];
      const lists = columns.map((column, index) => `$${index + 1}::${typeOf(types, update.table, column)}[]`);
      const from = `FROM unnest(${lists.join(', ')}) AS given (${columns.join(', ')})`;
      session.send(
        updateStatement(update, (column) => `given.${column}`, from),
        columnsOf(rows, ...columns),
      );
    },
  };
}

export type Bulk = ReturnType<typeof createBulk>;

/** The statement that inserts rows that all have the same columns, and its values for the driver itself. */
export function insertStatement(
  types: ColumnTypes,
  table: string,
  rows: readonly object[],
): [statement: string, values: unknown[]] {
  const [statement, values] = insertOf(types, table, rows, '');
  return [statement, values.map((value) => (Array.isArray(value) ? listOf(value) : value))];
}

function insertOf(
  types: ColumnTypes,
  table: string,
  rows: readonly object[],
  ending: string,
): [statement: string, values: unknown[]] {
  const columns = Object.keys(rows[0] ?? {});
  const values: unknown[] = [];
  const [lists, names]: [string[], string[]] = [[], []];
  const selected = columns.map((column) => {
    const type = typeOf(types, table, column);
    const cells = rows.map((row) => (row as Record<string, unknown>)[column]);
    const isSame = isSameInAll(cells);
    values.push(isSame ? scalar(cells[0]) : cells);
    if (isSame) return `$${values.length}::${type}`;
    lists.push(`$${values.length}::${type}[]`);
    names.push(column);
    return `given.${column}`;
  });
  const given =
    lists.length === 0
      ? `generate_series(1, ${rows.length})`
      : `unnest(${lists.join(', ')}) AS given (${names.join(', ')})`;
  return [`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${selected.join(', ')} FROM ${given} ${ending}`, values];
}

/** The values of some columns of rows, as lists. */
export function columnsOf<Column extends string>(
  rows: readonly Readonly<Record<Column, unknown>>[],
  ...columns: readonly Column[]
): unknown[][] {
  return columns.map((column) => rows.map((row) => row[column]));
}

/** A column with the same value in all rows is sent once. Bytes are not compared: they are IDs, and differ. */
function isSameInAll(cells: readonly unknown[]): boolean {
  const [first] = cells;
  return !(first instanceof Uint8Array) && cells.every((cell) => cell === first);
}

function scalar(value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value;
}

function typeOf(types: ColumnTypes, table: string, column: string): string {
  const type = types.get(table)?.get(column);
  if (type === undefined) throw new Error(`the database has no column ${table}.${column}`);
  return type;
}

/** `(a, b) IN (…)` over two arrays, which are the values `from` and the next: IDs and a second column. */
export function inPairs(columns: string, from: number, second: 'bytea' | 'bigint' = 'bytea'): string {
  return `${columns} IN (SELECT * FROM unnest($${from}::bytea[], $${from + 1}::${second}[]))`;
}
