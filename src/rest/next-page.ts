// The next page of a list, as a `link` header (RFC 8288).
import type { PageQuery } from '#contract/paging.ts';

/**
 * The value of `link`; null = this is the last page. A page of large items has fewer of them than requested: the next
 * page then has that size.
 * @param url of the request, path and query
 * @param count items of this page
 * @param total items of all pages
 */
export function nextPageLink(url: string, { limit, page }: PageQuery, count: number, total: number): string | null {
  const from = (page - 1) * limit;
  if (count === 0 || from + count >= total) return null;
  const isCut = count < limit && from % count === 0;
  const next = isCut ? { limit: count, page: from / count + 2 } : { limit, page: page + 1 };
  const [path = '', search = ''] = url.split('?', 2);
  const query = new URLSearchParams(search);
  query.set('limit', String(next.limit));
  query.set('page', String(next.page));
  return `<${path}?${query.toString()}>; rel="next"`;
}
