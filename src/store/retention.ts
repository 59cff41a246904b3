import type { SqliteFile } from './sqlite/file.ts';
import { removeOldDeliveries, removeOldResults, type SweepCursor } from './sqlite/retention.ts';

/** Removes what has grown old, a slice at a time. Instants are epoch ms. */
export interface Retention {
  /**
   * One slice; `isThrough` when nothing older than `before` is left. Slices of one sweep follow each other.
   *
   * @param resultsBefore up to when results may go: not before they are rolled up
   */
  sweep(
    before: number,
    now: number,
    resultsBefore?: number,
  ): Promise<{ readonly removed: number; readonly isThrough: boolean }>;
}

/** Rows in a slice: a few milliseconds of work. */
const rowsPerSlice = 400;

export function createRetention(file: SqliteFile): Retention {
  let cursor: SweepCursor | null = null;
  return {
    async sweep(before, now, resultsBefore = before) {
      const { removed, next } = await file.queue.group((connection) =>
        removeOldResults(connection, cursor, resultsBefore, rowsPerSlice),
      );
      cursor = next;
      if (next !== null) return { removed, isThrough: false };
      const more = await file.queue.group((connection) => removeOldDeliveries(connection, before, now, rowsPerSlice));
      return { removed: removed + more, isThrough: more < rowsPerSlice };
    },
  };
}
