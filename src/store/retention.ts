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
