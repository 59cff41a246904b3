// Revisions of records: the time of the last change, later with every change.

/** Times of a record. Epoch ms. */
export interface Revised {
  readonly createdAt: number;
  /** null = never changed. */
  readonly updatedAt: number | null;
}

/** The revision of a record. Epoch ms. */
export function revisionOf({ createdAt, updatedAt }: Revised): number {
  return updatedAt ?? createdAt;
}

/** `updatedAt` of a change: now, but later than the last one, also within a millisecond or after a clock jump. */
export function nextRevision(present: Revised, now: number): number {
  return Math.max(now, revisionOf(present) + 1);
}
