/** Deletes old data in slices. Times are epoch ms. */
export interface Retention {
  /**
   * Deletes a slice: a few milliseconds of the event loop. The next one continues where it ended, with rows of any
   * kind; `isThrough` once all kinds were processed, so that nothing older than `before` is left.
   * @param resultsBefore until when results may be deleted: not before they are rolled up
   */
  sweep(
    before: number,
    now: number,
    resultsBefore?: number,
  ): Promise<{ readonly removed: number; readonly isThrough: boolean }>;
}
