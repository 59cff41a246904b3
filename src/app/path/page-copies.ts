// Joins the steps that copy public status pages to a folder and to a bucket (docs/decisions/0164).
import { type CopyPlaceName, PageCopyError } from '#domain/status-pages/page-copies.ts';
import { createBucketPlace } from '#publish/copies/bucket-place.ts';
import type { CopyPlace } from '#publish/copies/copy-place.ts';
import { createFolderPlace } from '#publish/copies/folder-place.ts';
import { createPageCopier } from '#publish/copies/page-copier.ts';
import { renderPage } from '#publish/render-page.ts';
import { createCopyLease } from '#upkeep/copy-lease.ts';
import { createCopyPages } from '#upkeep/copy-pages.ts';
import { createBucketRequests } from './bucket-requests.ts';
import type { StepDeps } from './step-deps.ts';

/** Requests to a bucket cost money: the time of an unchanged page may be this old there, ms. */
const bucketRenewMs = 120_000;

export function composeCopyPages(
  deps: StepDeps,
  idleMs: number,
): Record<`copy-pages-to-${CopyPlaceName}`, () => Promise<number>> {
  const { folder, bucket } = deps.config.publish;
  const idle = (): Promise<number> => Promise.resolve(idleMs);
  const toBucket = (): (() => Promise<number>) =>
    bucket === null ? idle : copyTo(deps, 'bucket', createBucketPlace(bucket, requestsOf(deps)), bucketRenewMs);
  return {
    'copy-pages-to-folder': folder === null ? idle : copyTo(deps, 'folder', createFolderPlace(folder), 0),
    'copy-pages-to-bucket': toBucket(),
  };
}

function requestsOf({ config, closedPlaces, userAgent, stopping }: StepDeps) {
  const egress = { ...config.egress, closed: closedPlaces };
  return createBucketRequests(egress, config.caCertificates, userAgent, stopping);
}

function copyTo(
  { store, clock, owner, publicUrl, log }: StepDeps,
  name: CopyPlaceName,
  place: CopyPlace,
  renewEveryMs: number,
): () => Promise<number> {
  const { pageCopies, statusSnapshots } = store;
  const lease = createCopyLease({
    store: {
      state: () => pageCopies.state(name),
      move: (before, after) => pageCopies.move(name, before, after),
    },
    owner,
    clock,
  });
  const copier = createPageCopier(place, async () => {
    if (!(await lease.keep())) throw new PageCopyError('another process took over');
  });
  return createCopyPages({
    lease,
    pages: () => pageCopies.pages(),
    place: {
      urls: () => copier.urls(),
      remove: (url) => copier.remove(url),
      async copy({ accountId, pageId, url }, mostBytes) {
        const found = await statusSnapshots.read(accountId, pageId);
        if (found === null || !isPublic(found)) return null;
        const files = copiedFiles(found, publicUrl());
        const bytes = [...files.values()].reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
        if (bytes > mostBytes)
          throw new PageCopyError(`the page ${url} is too large: the copies of an account may have 100 MB in all`);
        await copier.copy(url, files);
        return bytes;
      },
    },
    renewEveryMs,
    clock,
    onNews: (error) =>
      error === null
        ? log.info('page-copies.written', { place: name })
        : log.error('page-copies.failed', { place: name, error }),
  });
}

type Found = NonNullable<Awaited<ReturnType<StepDeps['store']['statusSnapshots']['read']>>>;

/** Whether both the page and what was built of it are for everyone. */
function isPublic({ isPublished, visibility, snapshot }: Found): boolean {
  return isPublished && visibility === 'PUBLIC' && snapshot.page.visibility === 'PUBLIC';
}

/** As visitors of Tocsin get them, but without the form for subscribers, which only Tocsin can take. */
function copiedFiles({ snapshot, images }: Found, publicUrl: string): ReturnType<typeof renderPage> {
  const { url, customDomain } = snapshot.page;
  const address = customDomain === null ? `${publicUrl}/status/${url}/` : null;
  return renderPage({ ...snapshot, page: { ...snapshot.page, takesSubscribers: false } }, images, address);
}
