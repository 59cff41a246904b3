// One of the two databases of a copy: a common interface for both engines.
import type { Cell, Row, Slice, TableShape } from './shape.ts';

/** Writes of one transaction. */
export interface Writing {
  /** Inserts new rows; all of them have every column. */
  insert(table: TableShape, rows: readonly Row[]): Promise<void>;
  /** Deletes all rows of a table. */
  clear(table: TableShape): Promise<void>;
  /** Runs a statement that is the same on both engines; `?` is a placeholder. Returns the number of changed rows. */
  change(sql: string, values: readonly Cell[]): Promise<number>;
  /** Rows of a statement that is the same on both engines. */
  query(sql: string, values: readonly Cell[]): Promise<Row[]>;
}

/** A database to read from or copy into. Every method rejects if it cannot be reached. */
export interface Side {
  readonly engine: 'sqlite' | 'postgres';
  /** Its address for display. */
  readonly shown: string;
  /** All tables, ordered by name. */
  readonly tables: readonly TableShape[];
  /** The next rows of a slice in key order. */
  read(table: TableShape, slice: Slice, after: readonly Cell[] | null, max: number): Promise<Row[]>;
  count(table: TableShape): Promise<number>;
  /**
   * Rows of a statement that is the same on both engines, with `?` as placeholder. Blocks no one, however much it
   * reads.
   */
  query(sql: string, values: readonly Cell[]): Promise<Row[]>;
  /** Current time there, epoch ms. */
  now(): Promise<number>;
  /** A transaction, durable once it resolves; `work` may run more than once. */
  write<Answer>(work: (writing: Writing) => Promise<Answer>): Promise<Answer>;
  /** Prepares partitions for the days of the rows to be written. */
  prepare(table: TableShape, rows: readonly Row[]): Promise<void>;
  /** Updates statistics after many rows were written to these tables. */
  settle(tables: readonly TableShape[]): Promise<void>;
  /** Whether a process uses this database: a sentence that says so, or null. */
  usedBy(): Promise<string | null>;
  close(): Promise<void>;
}

/** A fact of the installation, or null. */
export async function readFact(side: Side, key: string): Promise<string | null> {
  const [row] = await side.query('SELECT value FROM installation WHERE key = ?', [key]);
  return row === undefined ? null : String(row['value']);
}

/** Writes a fact of the installation, within a transaction. */
export async function writeFact(writing: Writing, key: string, value: string): Promise<void> {
  await writing.change(
    'INSERT INTO installation (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    [key, value],
  );
}

/** A table by its name. */
export function tableOf({ tables }: Pick<Side, 'tables'>, name: string): TableShape {
  const table = tables.find((each) => each.name === name);
  if (table === undefined) throw new Error(`the database has no table ${name}`);
  return table;
}
