// Copies the rows of a table in batches, ordered by its key, and computes their checksum.
import { createRowSum, type RowSum } from './checksum.ts';
import { type Cell, conditionsOf, isCarriedRow, keyOf, type Row, type Slice, type TableShape } from './shape.ts';
import type { Side, Writing } from './side.ts';

const firstBatch = 200;
/** Rows per batch of tables with some large rows: the size of the next rows is unknown. */
const heavyBatch = 8;
const heavyTables: ReadonlySet<string> = new Set(['asset_parts']);
/** Maximum size of a batch, bytes, to limit memory on both sides. */
const batchBytes = 2_000_000;

/** Options of copying a table. */
export interface CopyRules {
  readonly slice: Slice;
  /** The key to continue after; null = from the beginning. */
  readonly after: readonly Cell[] | null;
  /** Maximum number of rows per batch. */
  readonly max: number;
  /** Transforms a row. */
  readonly convert?: (row: Row) => Row;
  /** Runs in the transaction of each batch, to record the progress. */
  readonly note: (writing: Writing, after: readonly Cell[]) => Promise<void>;
  /** Called with rows that are durable in the target. */
  readonly onRows: (rows: number) => void;
}

/**
 * Copies the rows after `after`. A batch and its progress are one transaction, so that the copy can be resumed after
 * any interruption.
 */
export async function copyTable(from: Side, to: Side, table: TableShape, rules: CopyRules): Promise<void> {
  for await (const batch of batchesOf(from, table, rules.slice, rules.after, rules.max)) {
    const last = batch.at(-1);
    if (last === undefined) return;
    await copyBatch(to, table, batch, { ...rules, note: (writing) => rules.note(writing, keyOf(table, last)) });
  }
}

type BatchRules = Pick<CopyRules, 'convert' | 'onRows'> & { readonly note: (writing: Writing) => Promise<void> };

async function copyBatch(
  to: Side,
  table: TableShape,
  batch: readonly Row[],
  { convert = (row) => row, note, onRows }: BatchRules,
): Promise<void> {
  const rows = batch.filter((row) => isCarriedRow(table, row)).map(convert);
  await to.prepare(table, rows);
  await to.write(async (writing) => {
    // Progress first, so that a copy that must not continue fails before it writes.
    await note(writing);
    await writing.insert(table, rows);
  });
  onRows(batch.length);
}

/** The rows of a slice, as many at once as are not too large. */
async function* batchesOf(
  side: Side,
  table: TableShape,
  slice: Slice,
  from: readonly Cell[] | null = null,
  maxRows = 2000,
): AsyncGenerator<readonly Row[]> {
  let after = from;
  const maxAtOnce = heavyTables.has(table.name) ? heavyBatch : maxRows;
  let max = Math.min(firstBatch, maxAtOnce);
  for (;;) {
    const rows = await side.read(table, slice, after, max);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < max) return;
    after = keyOf(table, last);
    const each = rows.reduce((sum, row) => sum + weightOf(row), 0) / rows.length;
    max = Math.max(1, Math.min(maxAtOnce, Math.floor(batchBytes / each)));
  }
}

function weightOf(row: Row): number {
  let weight = 8;
  for (const value of Object.values(row)) weight += value === null || typeof value === 'number' ? 8 : value.length;
  return weight;
}

/** The checksum of a table, or of a slice. */
export async function sumOf(
  side: Side,
  table: TableShape,
  {
    slice = {},
    readable,
    onRows,
  }: { slice?: Slice; readable?: (text: string) => string; onRows?: (n: number) => void | Promise<void> },
): Promise<RowSum> {
  const sum = createRowSum(readable);
  for await (const rows of batchesOf(side, table, slice)) {
    for (const row of rows) if (isCarriedRow(table, row)) sum.add(row);
    await onRows?.(rows.length);
  }
  return sum;
}

/** Number of rows in a slice, counted without blocking anyone. */
export async function countRows(side: Side, { name }: TableShape, slice: Slice): Promise<number> {
  const values: Cell[] = [];
  const conditions = conditionsOf(slice, (value) => {
    values.push(value);
    return '?';
  });
  const [row] = await side.query(`SELECT count(*) AS n FROM ${name} WHERE ${conditions.join(' AND ')}`, values);
  return Number(row?.['n']);
}
