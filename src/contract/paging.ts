// Paged lists: `limit` and `page` in, `content-range: <from>-<to>/<total>` out (decisions: Lists).
import { z } from 'zod';
import { wholeNumber } from '#lib/schema/fields.ts';

/** Default page size. */
export const defaultLimit = 10;

/** The query of every paged list. */
export const pageQuery = z.object({
  limit: wholeNumber(1, 100).default(defaultLimit).describe('Page size, 1 to 100.'),
  page: wholeNumber(1, 1_000_000).default(1).describe('Page number, starting at 1.'),
});
export type PageQuery = z.output<typeof pageQuery>;

/**
 * The value of `content-range`: positions of the first and last item, starting at 0, and the total. An empty page is
 * `0-0/<total>`.
 */
export function contentRange(query: PageQuery, count: number, total: number): string {
  if (count === 0) return `0-0/${total}`;
  const from = (query.page - 1) * query.limit;
  return `${from}-${from + count - 1}/${total}`;
}
