// Tables of the files left by script runs (docs/decisions/0083).
import type { IdBytes } from '../codec.ts';

/** Files of runs, without their content; a row exists only once all content is stored. */
export interface ResultAssetsTable {
  account_id: IdBytes;
  check_id: IdBytes;
  result_id: IdBytes;
  /** From 1, within its result. */
  number: number;
  sort: string;
  name: string;
  content_type: string;
  bytes: number;
  location: string;
  /** 1 = deleted with the next one of its check and location. */
  is_newest: number;
}

/** Their content in chunks: no statement and no commit moves megabytes. */
export interface AssetPartsTable {
  account_id: IdBytes;
  check_id: IdBytes;
  result_id: IdBytes;
  number: number;
  /** From 0. */
  part: number;
  content: Uint8Array;
}

export interface AssetTables {
  result_assets: ResultAssetsTable;
  asset_parts: AssetPartsTable;
}
