// Long lists newest first, read in slices: no single statement looks at more rows than a slice holds, however selective
// the filter is, so that a list never holds the loop for long (design: statements that might scan).
import type { IdBytes } from './codec.ts';

/** Rows with `from <= id < before`; null = unbounded. */
export interface IdRange {
  readonly from: IdBytes | null;
  readonly before: IdBytes | null;
}

/** A list in the order of an id that sorts by time. */
export interface SlicedList<Row> {
  /** Rows of a slice: as many as one statement may look at; null = all there are, in one slice. */
  readonly sliceSize: number | null;
  /** Where rows of a while ago lie apart from recent ones: the first id that counts as recent. null = nowhere. */
  readonly recentFrom: IdBytes | null;
  /** The id of the `size`th row below `before`, filter or not; null = there are fewer. */
  edge(before: IdBytes | null, size: number): Promise<IdBytes | null>;
  /** How many rows of the range the filter takes. */
  count(range: IdRange): Promise<number>;
  /** Rows of the range that the filter takes, newest first. */
  rows(range: IdRange, limit: number, offset: number): Promise<Row[]>;
}

/** Lets others have their turn. */
export const breathe = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** One page, and the total over all pages. */
export async function pageInSlices<Row>(
  list: SlicedList<Row>,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: Row[]; total: number }> {
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

/** Of the first slice for a page of one row; most pages are filled by the first. */
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

/** Most lists are filled by what is recent, and it alone is cheaper to look for. */
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

async function* slicesOf<Row>(
  list: SlicedList<Row>,
  start: IdBytes | null,
  firstSize = Infinity,
): AsyncGenerator<IdRange> {
  const sliceSize = list.sliceSize ?? Infinity;
  let before = start;
  for (let size = Math.min(firstSize, sliceSize); ; size = sliceSize) {
    const from = await list.edge(before, size);
    yield { from, before };
    if (from === null) return;
    before = from;
    await breathe();
  }
}
