// An asset: a file that a run of a script leaves behind, kept beside its result (docs/decisions/0083).
import type { CheckType } from '../checks/check.ts';

/** What an asset is of. */
export const assetSorts = ['screenshot', 'trace', 'video'] as const;
export type AssetSort = (typeof assetSorts)[number];

/** Media types an asset may have, and the ending of a file of each; what a file holds is told from its first bytes. */
export const assetTypes = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'application/zip': 'zip',
  'video/webm': 'webm',
} as const;
export type AssetType = keyof typeof assetTypes;

/** A file that a run left. Its name and content are foreign. */
export interface Asset {
  readonly sort: AssetSort;
  /** At most 200 characters, hidden values taken out. */
  readonly name: string;
  readonly contentType: AssetType;
  readonly content: Uint8Array;
}

/** An asset as it is listed: without its content. */
export interface AssetFacts extends Omit<Asset, 'content'> {
  /** From 1, within its result. */
  readonly number: number;
  /** Length of the content. */
  readonly bytes: number;
}

/** An asset that is being read. */
export interface AssetFile extends AssetFacts {
  /** Its content, a part at a time, once; fails where some of it goes meanwhile. */
  readonly parts: AsyncIterable<Uint8Array>;
}

/** Types of checks whose runs may leave assets: of others none are looked for. */
export const typesWithAssets: ReadonlySet<CheckType> = new Set(['BROWSER', 'MULTI_STEP']);
