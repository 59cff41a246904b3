// Copies of public status pages outside of this installation: which process writes them, and whether that fails.
import type { PagePublisher } from './page-snapshot.ts';

/** Places that receive copies. */
export const copyPlaces = ['folder', 'bucket'] as const;
export type CopyPlaceName = (typeof copyPlaces)[number];

/** What the processes know of the copies in a place. */
export interface PageCopiesState extends PagePublisher {
  /** Since when copies fail, epoch ms; null = the last ones succeeded. */
  readonly failingSince: number | null;
  /** Why they fail, a sentence without a period; null = they do not. */
  readonly error: string | null;
}

/** A page of the installation that may be copied. Instants are epoch ms. */
export interface CopiedPage {
  readonly accountId: string;
  readonly pageId: string;
  /** Its own address: the name of its folder. */
  readonly url: string;
  readonly builtAt: number;
  /** Tells one content from another, whatever its time. */
  readonly fingerprint: string;
  /** When its owner changed it last. */
  readonly changedAt: number;
}

/** How long copies may fail before operators are notified, ms. */
export const copiesFailAfterMs = 600_000;

/** Since when copies have failed; null = they succeed, or no process makes copies in this place any more. */
export function copiesFailSince(state: PageCopiesState | null, now: number): number | null {
  return state === null || state.leasedUntil < now - copiesFailAfterMs ? null : state.failingSince;
}

/** Maximum size of the copies of an account in a place, bytes. */
export const mostCopiedBytes = 100_000_000;

/** Why a copy is not made: its sentence is for operators. */
export class PageCopyError extends Error {
  override readonly name = 'PageCopyError';
}

/** `cache-control` of public pages, and of their assets, whose names contain a hash of their content. */
export const pageCaching = {
  page: 'public, max-age=15, stale-while-revalidate=60, stale-if-error=86400',
  asset: 'public, max-age=31536000, immutable',
} as const;

/** Older styles, scripts and images of a page that are kept, because cached copies of it may still name them. */
export const mostOlderAssets = 12;
