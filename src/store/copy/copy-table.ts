// Copies the rows of one table, batch by batch in the order of its key, and sums them up.
import { createRowSum, type RowSum } from './checksum.ts';
import { type Cell, conditionsOf, isCarriedRow, keyOf, type Row, type Slice, type TableShape } from './shape.ts';
import type { Side, Writing } from './side.ts';

const firstBatch = 200;
/** Rows at once of tables of which some are heavy: after light ones nobody knows how heavy the next are. */
const heavyBatch = 8;
const heavyTables: ReadonlySet<string> = new Set(['asset_parts']);
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
    await copyBatch(to, table, batch, { ...rules, note: (writing) => rules.note(writing, keyOf(table, last)) });
  }
}

type BatchRules = Pick<CopyRules, 'turn' | 'onRows'> & { readonly note: (writing: Writing) => Promise<void> };

async function copyBatch(
  to: Side,
  table: TableShape,
  batch: readonly Row[],
  { turn = (row) => row, note, onRows }: BatchRules,
): Promise<void> {
  const rows = batch.filter((row) => isCarriedRow(table, row)).map(turn);
  await to.prepare(table, rows);
  await to.write(async (writing) => {
    // The note first: who may not go on finds it out before he writes.
    await note(writing);
    await writing.insert(table, rows);
  });
  onRows(batch.length);
}

/** The rows of a slice, as many at once as are not too heavy. */
async function* batchesOf(
  side: Side,
  table: TableShape,
  slice: Slice,
  from: readonly Cell[] | null = null,
  mostRows = 2000,
): AsyncGenerator<readonly Row[]> {
  let after = from;
  const mostAtOnce = heavyTables.has(table.name) ? heavyBatch : mostRows;
  let most = Math.min(firstBatch, mostAtOnce);
  for (;;) {
    const rows = await side.read(table, slice, after, most);
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    if (rows.length < most) return;
    after = keyOf(table, last);
    const each = rows.reduce((sum, row) => sum + weightOf(row), 0) / rows.length;
    most = Math.max(1, Math.min(mostAtOnce, Math.floor(batchBytes / each)));
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
  }: { slice?: Slice; readable?: (text: string) => string; onRows?: (n: number) => void | Promise<void> },
): Promise<RowSum> {
  const sum = createRowSum(readable);
  for await (const rows of batchesOf(side, table, slice)) {
    for (const row of rows) if (isCarriedRow(table, row)) sum.add(row);
    await onRows?.(rows.length);
  }
  return sum;
}

/** How many rows a slice has, asked without holding up anybody. */
export async function countOf(side: Side, { name }: TableShape, slice: Slice): Promise<number> {
  const values: Cell[] = [];
  const conditions = conditionsOf(slice, (value) => {
    values.push(value);
    return '?';
  });
  const [row] = await side.query(`SELECT count(*) AS n FROM ${name} WHERE ${conditions.join(' AND ')}`, values);
  return Number(row?.['n']);
}
