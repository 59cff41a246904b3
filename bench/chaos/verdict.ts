/** A guarantee, how often it was checked, and its violations. */
export interface Verdict {
  readonly guarantee: string;
  readonly checked: number;
  readonly violations: readonly string[];
}
