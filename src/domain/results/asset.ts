// Assets: files left by a script run, stored with its result (docs/decisions/0083).

/** Types of assets. */
export const assetSorts = ['screenshot', 'trace', 'video'] as const;
export type AssetSort = (typeof assetSorts)[number];

/** Media types of assets with their file extensions. Determined from the first bytes of a file. */
export const assetTypes = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'application/zip': 'zip',
  'video/webm': 'webm',
} as const;
export type AssetType = keyof typeof assetTypes;

/** A file left by a run. Its name and content are untrusted. */
export interface Asset {
  readonly sort: AssetSort;
  /** At most 200 characters, redacted. */
  readonly name: string;
  readonly contentType: AssetType;
  readonly content: Uint8Array;
}

/** A listed asset, without its content. */
export interface AssetFacts extends Omit<Asset, 'content'> {
  /** Number within its result, from 1. */
  readonly number: number;
  /** Size of the content. */
  readonly bytes: number;
}

/** An asset being read. */
export interface AssetFile extends AssetFacts {
  /** Its content in chunks, readable once; fails if parts are deleted meanwhile. */
  readonly parts: AsyncIterable<Uint8Array>;
}
