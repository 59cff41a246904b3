// Copies the rows of one table, batch by batch in the order of its key, and sums them up.
import { createRowSum, type RowSum } from './checksum.ts';
import { type Cell, isCarriedRow, keyOf, type Row, type Slice, type TableShape } from './shape.ts';
import type { Side, Writing } from './side.ts';

const firstBatch = 200;
/** What a batch may weigh, bytes: neither side has to hold more in memory. */
const batchBytes = 2_000_000;

/** How rows are copied. */
export interface CopyRules {
  readonly slice: Slice;
  /** The key after which it goes on; null = from the beginning. */
  readonly after: readonly Cell[] | null;
  /** Rows of a batch at most. */
  readonly most: number;
  /** What becomes of a row on its way. */
  readonly turn?: (row: Row) => Row;
  /** Belongs to the transaction of each batch: where the copy stands now. */
  readonly note: (writing: Writing, after: readonly Cell[]) => Promise<void>;
  /** Told of rows that are there for good. */
  readonly onRows: (rows: number) => void;
}

/** Copies what lies after `after`. A batch and the note of it are one transaction, so that it can go on after any end. */
export async function copyTable(from: Side, to: Side, table: TableShape, rules: CopyRules): Promise<void> {
  for await (const batch of batchesOf(from, table, rules.slice, rules.after, rules.most)) {
    const last = batch.at(-1);
    if (last === undefined) return;
    const { turn = (row: Row) => row } = rules;
    const rows = batch.filter((row) => isCarriedRow(table, row)).map(turn);
    await to.prepare(table, rows);
    await to.write(async (writing) => {
      // The note first: who may not go on finds it out before he writes.
      await rules.note(writing, keyOf(table, last));
      await writing.insert(table, rows);
    });
    rules.onRows(batch.length);
  }
}

/** The rows of a slice, as many at once as are not too heavy. */
export async function* batchesOf(
  side: Side,
  table: TableShape,
  slice: Slice,
  from: readonly Cell[] | null = null,
  mostRows = 2000,
): AsyncGenerator<readonly Row[]> {
  let after = from;
  let most = Math.min(firstBatch, mostRows);
  for (;;) {
    const rows = await side.read(table, slice, after, most);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < most) return;
    after = keyOf(table, last);
    const each = rows.reduce((sum, row) => sum + weightOf(row), 0) / rows.length;
    most = Math.max(1, Math.min(mostRows, Math.floor(batchBytes / each)));
  }
}

function weightOf(row: Row): number {
  let weight = 8;
  for (const value of Object.values(row)) weight += value === null || typeof value === 'number' ? 8 : value.length;
  return weight;
}

/** The sum of a table's rows, or of a slice of them. */
export async function sumOf(
  side: Side,
  table: TableShape,
  {
    slice = {},
    readable,
    onRows,
  }: { slice?: Slice; readable?: (text: string) => string; onRows?: (n: number) => void },
): Promise<RowSum> {
  const sum = createRowSum(readable);
  for await (const rows of batchesOf(side, table, slice)) {
    for (const row of rows) if (isCarriedRow(table, row)) sum.add(row);
    onRows?.(rows.length);
  }
  return sum;
}
