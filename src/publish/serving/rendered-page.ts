// A page as it is served: its files with their ETags and compressed forms, without the contents that are known.
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { PageSnapshot, PublicPage, PublicService } from '#domain/status-pages/page-snapshot.ts';
import { pageRoot } from '#domain/status-pages/status-page.ts';
import type { PageImages, PublishedFile } from '../page-view.ts';
import { renderPage } from '../render-page.ts';

/** A file that was rendered. */
export interface RenderedFile {
  readonly mediaType: string;
  readonly etag: string;
  /** null = it is already known. */
  readonly content: Uint8Array | null;
  /** null = compression would not help. */
  readonly gzipped: Uint8Array | null;
}

/** Files by path relative to the page; `index.html` is the page itself. */
export interface RenderedPage extends Pick<PublicPage, 'url' | 'customDomain' | 'allowIndexing' | 'visibility'> {
  readonly takesSubscribers: boolean;
  /** What pages about subscriptions to it show. */
  readonly subscribed: SubscribedPage;
  readonly files: ReadonlyMap<string, RenderedFile>;
}

/** A page and its services, without what changes with their states. */
export interface SubscribedPage {
  readonly page: PublicPage;
  readonly services: readonly Pick<PublicService, 'id' | 'name'>[];
}

/** How a page is rendered. */
export interface RenderOptions {
  /** Of this installation, without a slash at its end: feeds and JSON need whole addresses. */
  readonly publicUrl: string;
  /** Token in the address of a page with a link; null = it is for readers without the link. */
  readonly linkToken: string | null;
  /** ETags by path, of the files that are known. */
  readonly known: ReadonlyMap<string, string>;
  /** Whether it is for a place that serves plain files: not compressed, and without the form for subscribers. */
  readonly isCopy: boolean;
}

export function renderedPage(
  snapshot: PageSnapshot,
  images: PageImages,
  { publicUrl, linkToken, known, isCopy }: RenderOptions,
): RenderedPage {
  const { url, customDomain, allowIndexing, visibility } = snapshot.page;
  const root = pageRoot(snapshot.page, publicUrl);
  // Without the token, programs that read feeds would find nothing.
  const address = visibility === 'LINK' && linkToken !== null ? `${root}~${linkToken}/` : root;
  const page = isCopy ? { ...snapshot.page, takesSubscribers: false } : snapshot.page;
  const files = renderPage({ ...snapshot, page }, images, address);
  const services = new Map(snapshot.cards.flatMap((card) => card.services.map(({ id, name }) => [id, { id, name }])));
  return {
    url,
    customDomain,
    allowIndexing,
    visibility,
    takesSubscribers: page.takesSubscribers,
    subscribed: { page, services: [...services.values()] },
    files: renderedFiles(files, known, !isCopy),
  };
}

/** Files smaller than this are not compressed. */
const smallestCompressed = 1000;

/** Files with their ETags; those that did not change are not compressed again. */
export function renderedFiles(
  files: ReadonlyMap<string, PublishedFile>,
  known: RenderOptions['known'] = new Map(),
  isZipped = true,
): RenderedPage['files'] {
  const rendered = new Map<string, RenderedFile>();
  for (const [path, { mediaType, content: raw }] of files) {
    const content = Buffer.from(raw);
    const etag = `"${hash('sha256', content, 'base64url').slice(0, 22)}"`;
    const isText = !/^image\/(?!svg)/.test(mediaType);
    const gzips = isZipped && isText && content.length >= smallestCompressed;
    if (known.get(path) === etag) rendered.set(path, { mediaType, etag, content: null, gzipped: null });
    else rendered.set(path, { mediaType, etag, content, gzipped: gzips ? gzipSync(content) : null });
  }
  return rendered;
}
