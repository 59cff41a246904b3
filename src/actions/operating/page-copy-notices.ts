// Reports that copies of status pages outside of this installation are not written.
import {
  copiesFailAfterMs,
  copiesFailSince,
  type CopyPlaceName,
  copyPlaces,
  type PageCopiesState,
} from '#domain/status-pages/page-copies.ts';
import type { Notice } from './notices.ts';

const variables: Readonly<Record<CopyPlaceName, string>> = {
  folder: 'TOCSIN_PUBLISH_FOLDER',
  bucket: 'TOCSIN_PUBLISH_BUCKET',
};

/** @param stateOf what the processes know of the copies in a place; null = nobody ever made any */
export async function pageCopyNotices(
  stateOf: (place: CopyPlaceName) => Promise<PageCopiesState | null>,
  now: number,
): Promise<Notice[]> {
  const notices: Notice[] = [];
  for (const place of copyPlaces) {
    const state = await stateOf(place);
    const failingSince = copiesFailSince(state, now);
    if (failingSince === null || now - failingSince < copiesFailAfterMs) continue;
    notices.push({
      id: `page-copies-failed:${place}`,
      kind: 'page-copies-failed',
      since: failingSince,
      subject: variables[place],
      message: `Copies of status pages in the ${place} are not up to date: ${state?.error ?? 'unknown'}.`,
      action: 'Tocsin keeps trying. See docs/status-pages.md#keep-pages-up-when-tocsin-is-down.',
    });
  }
  return notices;
}
