// Cuts pages of large rows, so that a page takes a bounded amount of memory (docs/decisions/0131).

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
