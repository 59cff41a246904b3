// Joins the steps that copy public status pages to a folder and to a bucket (docs/decisions/0164).
import { type CopyPlaceName, PageCopyError } from '#domain/status-pages/page-copies.ts';
import { createBucketPlace, type SendToBucket } from '#publish/copies/bucket-place.ts';
import { type CopyPlace, createPageCopier } from '#publish/copies/page-copier.ts';
import { createFolderPlace } from '#publish/copies/folder-place.ts';
import { createCopyLease, createCopyPages } from '#upkeep/copy-pages.ts';
import type { StepDeps } from './step-deps.ts';
import type { Agent } from 'undici';
import { everyNetwork } from '#egress/address-class.ts';
import { createGuard, type EgressPolicy } from '#egress/guard.ts';
import { createTrust } from '#lib/net/tls-trust.ts';

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
  { store, clock, owner, publicUrl, pageRenderer, log }: StepDeps,
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
        if (found === null || !found.isPublished || found.visibility !== 'PUBLIC') return null;
        const { content, images } = found;
        const page = await pageRenderer.render({
          content,
          images,
          publicUrl: publicUrl(),
          known: new Map(),
          linkToken: null,
          isCopy: true,
        });
        // What was built of it may be older than its row.
        if (page.visibility !== 'PUBLIC') return null;
        const files = new Map(
          [...page.files].map(([path, { mediaType, content: whole }]) => [path, { mediaType, content: whole ?? '' }]),
        );
        const bytes = [...files.values()].reduce((sum, { content: whole }) => sum + Buffer.byteLength(whole), 0);
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

const deadlineMs = 10_000;
/** Answers hold errors and lists of files. */
const mostAnswerBytes = 4_000_000;

/**
 * The operator chose the bucket, so the egress policy does not apply.
 * @param egress the policy with the closed places
 * @param stopping ends requests in progress
 */
function createBucketRequests(
  egress: EgressPolicy,
  extraCertificates: readonly string[],
  userAgent: string,
  stopping: AbortSignal,
): SendToBucket {
  // Loaded on demand, because few processes have a bucket.
  let loading: Promise<Agent> | null = null;
  const load = async (): Promise<Agent> => {
    const [undici, { guardedConnector }] = await Promise.all([import('undici'), import('#channels/http/connector.ts')]);
    const guard = createGuard({ ...egress, allow: everyNetwork });
    const connect = guardedConnector(guard, createTrust(extraCertificates), deadlineMs);
    return new undici.Agent({ connect, allowH2: false, pipelining: 1, maxResponseSize: mostAnswerBytes });
  };
  return async ({ method, url, headers, body }) => {
    const dispatcher = await (loading ??= load());
    const { request } = await import('undici');
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(deadlineMs)]);
    try {
      const answer = await request(url, {
        method,
        headers: { ...headers, 'user-agent': userAgent },
        body,
        dispatcher,
        signal,
      });
      return { status: answer.statusCode, body: Buffer.from(await answer.body.arrayBuffer()) };
    } catch (error) {
      if (!signal.aborted) throw error;
      throw new PageCopyError(`the bucket did not answer within ${deadlineMs / 1000} s`);
    }
  };
}
