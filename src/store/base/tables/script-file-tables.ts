// Tables of files of scripts that are stored apart from their checks.
import type { Flag, IdBytes } from '../codec.ts';

/** A file without its content. */
export interface ScriptFilesTable {
  account_id: IdBytes;
  /** SHA-256 of the content, hexadecimal. */
  key: string;
  bytes: number;
  /** What it counts of the account's limit. */
  counted: number;
  /** Whether all of its content is stored. */
  is_whole: Flag;
  /** When it was uploaded, or last known to be used by a check. */
  used_at: number;
}

/** Its content in chunks: no statement and no commit moves megabytes. */
export interface ScriptFilePartsTable {
  account_id: IdBytes;
  key: string;
  /** From 0. */
  part: number;
  content: Uint8Array;
}

export interface ScriptFileTables {
  script_files: ScriptFilesTable;
  script_file_parts: ScriptFilePartsTable;
}
