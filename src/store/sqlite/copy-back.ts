// One checkpoint: what was committed to the log goes back into the file.
import type { DatabaseSync } from 'node:sqlite';

/** What a checkpoint came to, in pages. */
export interface CopiedBack {
  /** Pages in the log since it was begun anew. */
  readonly inLog: number;
  /** Of them, those that are in the file by now. */
  readonly inFile: number;
}

/** Copies as much as goes without waiting for anybody; null = it failed, as on a full disk, and nothing is lost. */
export function copyBack(database: DatabaseSync): CopiedBack | null {
  try {
    const row = database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    return { inLog: Number(row?.['log']), inFile: Number(row?.['checkpointed']) };
  } catch {
    return null;
  }
}
