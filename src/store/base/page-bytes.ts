// Cuts pages of large rows, so that a page takes a bounded amount of memory (docs/decisions/0131).
import type { RawBuilder, SelectQueryBuilder } from 'kysely';
import type { Page, Slice } from './database.ts';
import { countFound } from './rows.ts';
import type { Tables } from './tables/schema.ts';

/** Stored bytes of a page; a single row may be larger. */
export const pageBytes = 4 * 1_048_576;

/**
 * How many rows a page has. A cut page has as many as a smaller page size that divides the requested one, so that its
 * next page begins at a multiple of that size.
 * @param sizes stored bytes of the rows from the start of the page
 * @param limit requested page size, at least 1
 */
export function rowsOfPage(sizes: readonly number[], limit: number, max = pageBytes): number {
  let rows = 0;
  let bytes = 0;
  for (const size of sizes) {
    bytes += size;
    if (bytes > max) break;
    rows++;
  }
  if (rows === sizes.length) return limit;
  let cut = Math.max(1, rows);
  while (limit % cut !== 0) cut--;
  return cut;
}

/** The rows of a query in a slice, cut if they are large. @param size stored bytes of a row */
export async function readCutPage<Table extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, Table, Row>,
  size: RawBuilder<number>,
  { limit, offset }: Slice,
): Promise<Page<Row>> {
  const sizes = await query.clearSelect().select(size.as('size')).limit(limit).offset(offset).execute();
  const all = sizes.map((row) => row.size);
  const rows = await query.limit(rowsOfPage(all, limit)).offset(offset).execute();
  return { rows, total: await countFound(query) };
}
