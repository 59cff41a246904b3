/** Outcome of an assertion. */
export interface Outcome {
  readonly passed: boolean;
  /** Actual value, shortened; null = none. */
  readonly actual: string | null;
  /** Why the comparison failed to run, or null. */
  readonly problem: string | null;
  /** Which of several matches `actual` is. Absent if there is only one. */
  readonly among?: string | null;
  /** Whether every match of a JSON path is compared. */
  readonly isEvery?: boolean;
  /** Whether the outcome is unknown because of Tocsin. */
  readonly isOurs?: true;
}
