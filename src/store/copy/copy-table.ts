// Copies the rows of a table in batches, ordered by its key, and compares checksums.
import type { Db } from '../base/tables/schema.ts';
import { createRowSum, type RowSum } from './checksum.ts';
import { type Side, tableOf } from './side.ts';
import {
  type Cell,
  copyRuleOf,
  countSlice,
  isCarriedRow,
  keyOf,
  readSlice,
  type Row,
  type Slice,
  type TableShape,
} from './table.ts';

const firstBatch = 200;
const defaultBatch = 2000;
/** Maximum size of a batch, bytes, to limit memory on both sides. */
const batchBytes = 2_000_000;

/** Progress by tables. */
export interface TableListener {
  /** Called for a table with about this many rows, one or more. */
  onTable(step: 'copy' | 'verify' | 'remove', table: string, rows: number): void;
  onRows(rows: number): void;
}

/** The copy is not possible; the message says why and what to do. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

/** Options of copying a table. */
export interface CopyOptions {
  /** The key to continue after; null = from the beginning. */
  readonly after?: readonly Cell[] | null;
  /** Maximum number of rows per batch. */
  readonly max?: number | undefined;
  /** Transforms a row. */
  readonly convert?: (row: Row) => Row;
  /** Runs first in the transaction of each batch, to record the progress. */
  readonly note?: (tx: Db, last: readonly Cell[]) => Promise<void>;
}

/**
 * Copies the rows of a slice after `after`. A batch and its progress are one transaction, so that the copy can be
 * resumed after any interruption.
 */
export async function copyTable(
  from: Side,
  to: Side,
  table: TableShape,
  slice: Slice,
  listener: TableListener,
  { after = null, max, convert = (row) => row, note }: CopyOptions = {},
): Promise<void> {
  const rows = await countSlice(from.reader, table, slice);
  if (rows > 0) listener.onTable('copy', table.name, rows);
  const target = tableOf(to, table.name);
  for await (const [batch, last] of batchesOf(from, table, slice, after, max)) {
    const carried = batch.filter((row) => isCarriedRow(table, row)).map(convert);
    await to.prepare(target, carried);
    await to.transaction(async (tx) => {
      // Progress first, so that a copy that must not continue fails before it writes.
      await note?.(tx, last);
      await to.insert(tx, target, carried);
    });
    listener.onRows(batch.length);
  }
}

/** The rows of a slice, as many at once as are not too large, and the last key of each batch. */
async function* batchesOf(
  side: Side,
  table: TableShape,
  slice: Slice,
  from: readonly Cell[] | null = null,
  maxRows = defaultBatch,
): AsyncGenerator<[rows: readonly Row[], last: readonly Cell[]]> {
  let after = from;
  const { rowsAtOnce = maxRows } = copyRuleOf(table);
  let max = Math.min(firstBatch, rowsAtOnce);
  for (;;) {
    const rows = await readSlice(side.reader, table, slice, after, max);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = keyOf(table, last);
    yield [rows, after];
    if (rows.length < max) return;
    const each = rows.reduce((sum, row) => sum + weightOf(row), 0) / rows.length;
    max = Math.max(1, Math.min(rowsAtOnce, Math.floor(batchBytes / each)));
  }
}

function weightOf(row: Row): number {
  let weight = 8;
  for (const value of Object.values(row)) weight += value === null || typeof value === 'number' ? 8 : value.length;
  return weight;
}

/** A table on both sides, after the copy. */
export interface VerifiedTable {
  readonly name: string;
  readonly rows: number;
  /** Checksum of the values, independent of the engine: 16 hex digits. */
  readonly checksum: string;
}

/** Normalizes texts that two databases store differently. */
export type Readable = (text: string) => string;

/** A side of a comparison. */
export interface Compared {
  readonly side: Side;
  readonly readable?: Readable;
}

/**
 * Compares slices of tables.
 * @param onDifferent makes the error if a table differs
 */
export async function verifyTables(
  from: Compared,
  to: Compared,
  tables: readonly TableShape[],
  sliceOf: (table: TableShape) => Slice,
  listener: TableListener,
  onDifferent: (table: TableShape, there: RowSum, here: RowSum) => CopyError | Promise<CopyError>,
): Promise<VerifiedTable[]> {
  const verified: VerifiedTable[] = [];
  for (const table of tables) {
    const slice = sliceOf(table);
    const rows = await countSlice(from.side.reader, table, slice);
    if (rows > 0) listener.onTable('verify', table.name, 2 * rows);
    const there = await sumOf(from, table, slice, listener);
    const here = await sumOf(to, tableOf(to.side, table.name), slice, listener);
    if (there.text() !== here.text() || there.rows !== here.rows) throw await onDifferent(table, there, here);
    verified.push({ name: table.name, rows: here.rows, checksum: here.text() });
  }
  return verified;
}

/** The checksum of a slice. */
export async function sumOf(
  { side, readable }: Compared,
  table: TableShape,
  slice: Slice = {},
  listener?: Pick<TableListener, 'onRows'>,
): Promise<RowSum> {
  const sum = createRowSum(readable);
  for await (const [rows] of batchesOf(side, table, slice)) {
    for (const row of rows) if (isCarriedRow(table, row)) sum.add(row);
    listener?.onRows(rows.length);
  }
  return sum;
}
