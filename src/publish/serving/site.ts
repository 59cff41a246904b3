// The published status pages of the installation, in memory: a visitor never causes a query.
import { mostOlderAssets } from '#domain/status-pages/page-copies.ts';
import type { PageVisibility } from '#domain/status-pages/status-page.ts';
import type { SubscriptionSheets } from '../html/subscription.ts';
import type { RenderedPage } from './rendered-page.ts';

/** A page that visitors reach. */
export interface SitePage {
  readonly accountId: string;
  readonly pageId: string;
  readonly url: string;
  readonly customDomain: string | null;
  readonly isPublished: boolean;
  readonly visibility: PageVisibility;
  readonly passwordHash: string | null;
  readonly allowIndexing: boolean;
  readonly takesSubscribers: boolean;
  /** Pages about subscriptions to it. */
  readonly sheets: SubscriptionSheets;
  /** Those without content are the ones that the page has. */
  readonly files: RenderedPage['files'];
}

/** A file as it is sent. */
export interface SentFile {
  readonly mediaType: string;
  readonly content: Buffer;
  readonly etag: string;
  /** null = compression would not help. */
  readonly gzipped: Buffer | null;
}

/** A page with its files as they are sent. */
export interface ServedPage extends Omit<SitePage, 'files'> {
  readonly files: ReadonlyMap<string, SentFile>;
}

/** Published pages by their addresses. */
export type Site = ReturnType<typeof createSite>;

export function createSite() {
  const pages = new Map<string, ServedPage>();
  const [urls, hosts] = [new Map<string, string>(), new Map<string, string>()];
  const remove = (pageId: string): void => {
    const page = pages.get(pageId);
    if (page === undefined) return;
    pages.delete(pageId);
    if (urls.get(page.url) === pageId) urls.delete(page.url);
    if (page.customDomain !== null && hosts.get(page.customDomain) === pageId) hosts.delete(page.customDomain);
  };
  return {
    /** Adds a page or replaces the one with its ID. An address that another page has stays with it. */
    put(page: SitePage): void {
      const before = pages.get(page.pageId);
      remove(page.pageId);
      pages.set(page.pageId, { ...page, files: sentFiles(page.files, before?.files) });
      if (!urls.has(page.url)) urls.set(page.url, page.pageId);
      if (page.customDomain !== null && !hosts.has(page.customDomain)) hosts.set(page.customDomain, page.pageId);
    },
    remove,
    /** ETags by path, of the files that a page has. */
    etags: (pageId: string): ReadonlyMap<string, string> =>
      new Map([...(pages.get(pageId)?.files ?? [])].map(([path, { etag }]) => [path, etag])),
    byId: (pageId: string): ServedPage | null => pages.get(pageId) ?? null,
    byUrl: (url: string): ServedPage | null => pages.get(urls.get(url) ?? '') ?? null,
    /** @param host in lower case, without port */
    byHost: (host: string): ServedPage | null => pages.get(hosts.get(host) ?? '') ?? null,
  };
}

/** The files as they are sent, and some older ones. */
function sentFiles(files: SitePage['files'], before: ServedPage['files'] | undefined): ServedPage['files'] {
  const older = [...(before ?? [])].filter(([path]) => path.startsWith('assets/') && !files.has(path));
  const sent = new Map<string, SentFile>(older.slice(-mostOlderAssets));
  for (const [path, { mediaType, etag, content, gzipped }] of files) {
    const known = before?.get(path);
    if (content !== null)
      sent.set(path, { mediaType, etag, content: bufferOf(content), gzipped: gzipped && bufferOf(gzipped) });
    else if (known?.etag === etag) sent.set(path, known);
  }
  return sent;
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
