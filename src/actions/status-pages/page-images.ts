// Hashes of the images of status pages, which are read again only when their page was changed.
import { hash } from 'node:crypto';
import type { PublicPage } from '#domain/status-pages/page-snapshot.ts';
import type { StatusPage } from '#domain/status-pages/status-page.ts';
import { createRecent } from '#lib/recent.ts';
import type { Store } from '#store/store.ts';

/** Pages whose hashes are remembered. */
const mostPages = 10_000;

/** Reads the media types and hashes of the images of a page. */
export function createReadImages({ statusPages }: { readonly statusPages: Pick<Store['statusPages'], 'images'> }) {
  const known = createRecent<PublicPage['images']>({ max: mostPages, sizeOf: () => 1 });
  return async ({ accountId, id, updatedAt }: StatusPage): Promise<PublicPage['images']> => {
    const key = `${id} ${updatedAt ?? ''}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const own = (await statusPages.images(accountId, [id])).get(id) ?? {};
    const images = Object.fromEntries(
      Object.entries(own).map(([name, { mediaType, content }]) => [
        name,
        { mediaType, hash: hash('sha256', content).slice(0, 32) },
      ]),
    );
    known.set(key, images);
    return images;
  };
}
