// The published status pages of the installation, in memory: a visitor never causes a query.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { PageVisibility } from '#domain/status-pages/status-page.ts';
import type { PublishedFile } from '../page-view.ts';

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
  /** By path relative to the page; `index.html` is the page itself. */
  readonly files: ReadonlyMap<string, PublishedFile>;
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
export interface Site {
  /** Adds a page or replaces the one with its ID. An address that another page has stays with it. */
  readonly put: (page: SitePage) => void;
  readonly remove: (pageId: string) => void;
  byUrl(url: string): ServedPage | null;
  /** @param host in lower case, without port */
  byHost(host: string): ServedPage | null;
}

export function createSite(): Site {
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
    put(page) {
      const before = pages.get(page.pageId);
      remove(page.pageId);
      pages.set(page.pageId, { ...page, files: sentFiles(page.files, before?.files) });
      if (!urls.has(page.url)) urls.set(page.url, page.pageId);
      if (page.customDomain !== null && !hosts.has(page.customDomain)) hosts.set(page.customDomain, page.pageId);
    },
    remove,
    byUrl: (url) => pages.get(urls.get(url) ?? '') ?? null,
    byHost: (host) => pages.get(hosts.get(host) ?? '') ?? null,
  };
}

/** Files smaller than this are not compressed. */
const smallestCompressed = 1000;

/** Older styles, scripts and images of a page that cached copies of it may still name. */
const mostOlderAssets = 12;

/** The files as they are sent; those that did not change are not compressed again. */
function sentFiles(files: SitePage['files'], before: ServedPage['files'] | undefined): ServedPage['files'] {
  const older = [...(before ?? [])].filter(([path]) => path.startsWith('assets/') && !files.has(path));
  const sent = new Map<string, SentFile>(older.slice(-mostOlderAssets));
  for (const [path, { mediaType, content: raw }] of files) {
    const content = Buffer.from(raw);
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
    const known = before?.get(path);
    const isText = !/^image\/(?!svg)/.test(mediaType);
    const gzips = isText && content.length >= smallestCompressed;
    if (known?.etag === etag) sent.set(path, known);
    else sent.set(path, { mediaType, content, etag, gzipped: gzips ? gzipSync(content) : null });
  }
  return sent;
}
