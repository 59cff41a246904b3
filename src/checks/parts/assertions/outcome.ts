/** How an assertion came out. */
export interface Outcome {
  readonly passed: boolean;
  /** What came, shortened; null = nothing. */
  readonly actual: string | null;
  /** Why nothing could be compared; null when it could. */
  readonly problem: string | null;
  /** Of several matches of a JSON path, which one `actual` is; absent = there are not several. */
  readonly among?: string | null;
  /** Every match of a JSON path is compared. */
  readonly isEvery?: boolean;
  /** It is not known whether it holds, and Tocsin is to blame. */
  readonly isOurs?: true;
}
