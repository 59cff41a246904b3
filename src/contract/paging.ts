// Lists read page by page: `limit` and `page` in, `content-range: <from>-<to>/<total>` out (decisions: Lists).
import { z } from 'zod';
import { wholeNumber } from '#lib/schema/fields.ts';

/** Items of a page when the caller does not say. */
export const defaultLimit = 10;

/** The query of every paged list. */
export const pageQuery = z.object({
  limit: wholeNumber(1, 100).default(defaultLimit).describe('Items of a page, 1 to 100.'),
  page: wholeNumber(1, 1_000_000).default(1).describe('Which page, from 1.'),
});
export type PageQuery = z.output<typeof pageQuery>;

/**
 * The value of `content-range`: positions of the first and last item counted from 0, then how many there are in all.
 * A page without items is `0-0/<total>`.
 */
export function contentRange(query: PageQuery, count: number, total: number): string {
  if (count === 0) return `0-0/${total}`;
  const from = (query.page - 1) * query.limit;
  return `${from}-${from + count - 1}/${total}`;
}

/** The total in a `content-range`, or null when there is none. */
export function totalOf(contentRange: string | null): number | null {
  const match = /\/(\d+)$/.exec(contentRange ?? '');
  return match ? Number(match[1]) : null;
}
