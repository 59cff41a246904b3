// One checkpoint: what was committed to the log goes back into the file.
import type { DatabaseSync } from 'node:sqlite';

/** How a log stands, in pages. */
export interface LogState {
  /** Pages in the log since it was begun anew. */
  readonly inLog: number;
  /** Of them, those that are in the file by now. */
  readonly inFile: number;
}

/**
 * @param mode PASSIVE copies as much as goes without waiting for anybody, NOOP nothing
 * @returns null = another connection is at it, or the disk is full: nothing is lost
 */
export function checkpoint(database: DatabaseSync, mode: 'PASSIVE' | 'NOOP'): LogState | null {
  try {
    const row = database.prepare(`PRAGMA wal_checkpoint(${mode})`).get();
    const state = { inLog: Number(row?.['log']), inFile: Number(row?.['checkpointed']) };
    return row?.['busy'] === 0 && state.inLog >= 0 ? state : null;
  } catch {
    return null;
  }
}

/**
 * Whether a log may be copied back by one connection while another begins it anew: SQLite before 3.51.3 could then damage the
 * file, and does not tell how long the log is either.
 */
export function canCopyBeside(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return major * 1e6 + minor * 1e3 + patch >= 3_051_003;
}

/** That of this Node.js. */
export const copiesBeside: boolean = canCopyBeside(process.versions['sqlite'] ?? '0');
