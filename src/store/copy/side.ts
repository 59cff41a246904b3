// One of the two databases of a copy: the same few questions for both engines.
import type { Cell, Row, Slice, TableShape } from './shape.ts';

/** Writes of one transaction. */
export interface Writing {
  /** Rows that are not there yet; all of them name every column. */
  insert(table: TableShape, rows: readonly Row[]): Promise<void>;
  /** Removes every row of a table, whatever it is. */
  clear(table: TableShape): Promise<void>;
  /** Runs a statement that is the same on both engines; `?` stands for a value. Answers how many rows it changed. */
  change(sql: string, values: readonly Cell[]): Promise<number>;
  /** The rows of a statement that is the same on both engines. */
  query(sql: string, values: readonly Cell[]): Promise<Row[]>;
}

/** A database that is read from or copied into. Every method rejects when it cannot be reached. */
export interface Side {
  readonly engine: 'sqlite' | 'postgres';
  /** Its address as a person may read it. */
  readonly shown: string;
  /** Every table, in the order of their names. */
  readonly tables: readonly TableShape[];
  /** The next rows of a slice in the order of the key. */
  read(table: TableShape, slice: Slice, after: readonly Cell[] | null, most: number): Promise<Row[]>;
  count(table: TableShape): Promise<number>;
  /** The rows of a statement that is the same on both engines, `?` for a value. Holds up nobody, however much it reads. */
  query(sql: string, values: readonly Cell[]): Promise<Row[]>;
  /** What time it is there, epoch ms. */
  now(): Promise<number>;
  /** All of it or nothing, durable when it resolves; `work` may run more than once. */
  write<Answer>(work: (writing: Writing) => Promise<Answer>): Promise<Answer>;
  /** Makes room for the rows that are about to be written: the days they belong to. */
  prepare(table: TableShape, rows: readonly Row[]): Promise<void>;
  /** After many rows were written to these tables: what the engine needs to find its way in them. */
  settle(tables: readonly TableShape[]): Promise<void>;
  /** Whether a process works on this database: a sentence that says so, or null. */
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
