// Tables of the files that runs of scripts leave (docs/decisions/0083).
import type { IdBytes } from '../codec.ts';

/** Files that runs left, without their content; a row is there only once all of that is. */
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
  /** 1 = goes with the next of its check and location. */
  is_newest: number;
}

/** Their content, a piece at a time: no statement and no commit moves megabytes. */
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
