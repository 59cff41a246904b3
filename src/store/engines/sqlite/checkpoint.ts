// A checkpoint: copies committed pages from the log into the file.
import type { DatabaseSync } from 'node:sqlite';

/** State of a log, in pages. */
export interface LogState {
  /** Pages in the log since it was restarted. */
  readonly inLog: number;
  /** Pages of it that are already in the file. */
  readonly inFile: number;
}

/**
 * @param mode PASSIVE copies as much as possible without waiting, NOOP nothing
 * @returns null = another connection is running one, or the disk is full: nothing is lost
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
 * Whether one connection may run a checkpoint while another restarts the log: SQLite before 3.51.3 could corrupt the
 * file then, and does not report the length of the log either.
 */
export function canCheckpointInThread(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  return major * 1e6 + minor * 1e3 + patch >= 3_051_003;
}

/** Version of SQLite in this Node.js. */
export const checkpointsInThread: boolean = canCheckpointInThread(process.versions['sqlite'] ?? '0');
