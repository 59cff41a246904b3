/** Removes what has grown old, a slice at a time. Instants are epoch ms. */
export interface Retention {
  /** One slice; `isThrough` when nothing older than `before` is left. Slices of one sweep follow each other. */
  sweep(before: number, now: number): Promise<{ readonly removed: number; readonly isThrough: boolean }>;
}
