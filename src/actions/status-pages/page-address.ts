// The address of a status page, as those who may see it know it.
import type { StatusPage } from '#domain/status-pages/status-page.ts';
import type { LinkedPage } from './page-access.ts';

/** What makes addresses of pages. */
export interface PageAddresses {
  /** Address of this server, without a slash at its end. */
  readonly publicUrl: () => string;
  /** Token of the link of a page. */
  readonly linkToken: (page: LinkedPage) => string;
}

/** Ends in a slash. */
export function pageAddress(
  { id: pageId, accountId, url, customDomain, visibility }: StatusPage,
  { publicUrl, linkToken }: PageAddresses,
): string {
  const root = customDomain === null ? `${publicUrl()}/status/${url}/` : `https://${customDomain}/`;
  return visibility === 'LINK' ? `${root}~${linkToken({ accountId, pageId, url })}/` : root;
}
