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

/** The query of lists that continue after an ID. */
export const cursorQuery = z.object({
  limit: wholeNumber(1, 100).default(20).describe('Page size, 1 to 100.'),
  nextId: z.uuid().exactOptional().describe('`nextId` of the previous response.'),
});

/** A part of a list. @param nextId of the item after which the next part begins */
export function cursorPage<Item extends z.ZodType>(item: Item, nextId: z.ZodType<string, string> = z.uuid()) {
  return z.strictObject({
    length: z.int(),
    entries: z.array(item),
    nextId: nextId.nullable().describe('null on the last page.'),
  });
}
