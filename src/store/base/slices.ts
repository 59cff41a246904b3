// Reads long lists newest first in slices: no statement scans more rows than a slice, however selective the filter, so
// that a list never blocks the event loop for long (design: statements that might scan).
import type { Page, Slice } from './database.ts';
import type { IdBytes } from './codec.ts';

/** Rows with `from <= id < before`; null = unbounded. */
export interface IdRange {
  readonly from: IdBytes | null;
  readonly before: IdBytes | null;
}

/** A list ordered by an ID that sorts by time. */
export interface SlicedList<Row> {
  /** Maximum number of rows that a statement may scan; null = unlimited, in one slice. */
  readonly sliceSize: number | null;
  /** If old rows are stored apart from recent ones: the first ID that counts as recent. null = no. */
  readonly recentFrom: IdBytes | null;
  /** The ID of the `size`th row below `before`, ignoring the filter; null = fewer rows. */
  edge(before: IdBytes | null, size: number): Promise<IdBytes | null>;
  /** Number of rows in the range that match the filter. */
  count(range: IdRange): Promise<number>;
  /** Rows in the range that match the filter, newest first. */
  rows(range: IdRange, limit: number, offset: number): Promise<Row[]>;
}

/** Yields to the event loop. */
export const breathe = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** One page, and the total over all pages. */
export async function pageInSlices<Row>(list: SlicedList<Row>, { limit, offset }: Slice): Promise<Page<Row>> {
  if (list.sliceSize === null) {
    const [total, rows] = await Promise.all([list.count(everything), newest(list, null, limit, offset)]);
    return { rows, total };
  }
  const rows: Row[] = [];
  let total = 0;
  for await (const slice of slicesOf(list, null)) {
    const matching = await list.count(slice);
    const skipped = Math.max(0, offset - total);
    if (skipped < matching && rows.length < limit) {
      rows.push(...(await list.rows(slice, limit - rows.length, skipped)));
    }
    total += matching;
  }
  return { rows, total };
}

/** Reads the first slice for a page; most pages are filled by the first. */
const firstSlice = 4;

/** The first `limit` rows below `before`. */
export async function headInSlices<Row>(list: SlicedList<Row>, before: IdBytes | null, limit: number): Promise<Row[]> {
  if (list.sliceSize === null) return newest(list, before, limit, 0);
  const rows: Row[] = [];
  for await (const slice of slicesOf(list, before, limit * firstSlice)) {
    rows.push(...(await list.rows(slice, limit - rows.length, 0)));
    if (rows.length >= limit) break;
  }
  return rows;
}

const everything: IdRange = { from: null, before: null };

/** Most lists are filled by recent rows, which are cheaper to read alone. */
async function newest<Row>(
  list: SlicedList<Row>,
  before: IdBytes | null,
  limit: number,
  offset: number,
): Promise<Row[]> {
  const { recentFrom } = list;
  if (recentFrom !== null && before === null && offset === 0) {
    const rows = await list.rows({ from: recentFrom, before }, limit, 0);
    if (rows.length === limit) return rows;
  }
  return list.rows({ from: null, before }, limit, offset);
}

async function* slicesOf<Row>(list: SlicedList<Row>, start: IdBytes | null, firstSize = Infinity) {
  const sliceSize = list.sliceSize ?? Infinity;
  let before = start;
  for (let size = Math.min(firstSize, sliceSize); ; size = sliceSize) {
    const from = await list.edge(before, size);
    yield { from, before } satisfies IdRange;
    if (from === null) return;
    before = from;
    await breathe();
  }
}
