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
  /** Rows of a slice: as many as one statement may look at. */
  readonly sliceSize: number;
  /** The id of the `size`th row below `before`, filter or not; null = there are fewer. */
  edge(before: IdBytes | null, size: number): Promise<IdBytes | null>;
  /** How many rows of the range the filter takes. */
  count(range: IdRange): Promise<number>;
  /** Rows of the range that the filter takes, newest first. */
  rows(range: IdRange, limit: number, offset: number): Promise<Row[]>;
}

const breathe = () => new Promise<void>((resolve) => void setImmediate(resolve));

/** One page, and the total over all pages. */
export async function pageInSlices<Row>(
  list: SlicedList<Row>,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: Row[]; total: number }> {
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

/** The first `limit` rows below `before`. */
export async function headInSlices<Row>(list: SlicedList<Row>, before: IdBytes | null, limit: number): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const slice of slicesOf(list, before)) {
    rows.push(...(await list.rows(slice, limit - rows.length, 0)));
    if (rows.length >= limit) break;
  }
  return rows;
}

async function* slicesOf<Row>(list: SlicedList<Row>, start: IdBytes | null): AsyncGenerator<IdRange> {
  let before = start;
  for (;;) {
    const from = await list.edge(before, list.sliceSize);
    yield { from, before };
    if (from === null) return;
    before = from;
    await breathe();
  }
}
