/** Removes what has grown old, a slice at a time. Instants are epoch ms. */
export interface Retention {
  /**
   * One slice: a few milliseconds of the loop. The next goes on where it ended, whatever sort of row that is; `isThrough`
   * when every sort has been gone through once, so that nothing is left that was older than `before` when it began.
   *
   * @param resultsBefore up to when results may go: not before they are rolled up
   */
  sweep(
    before: number,
    now: number,
    resultsBefore?: number,
  ): Promise<{ readonly removed: number; readonly isThrough: boolean }>;
}
