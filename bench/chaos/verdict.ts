/** One promise: how much it was tried on, and what broke it. */
export interface Verdict {
  readonly promise: string;
  readonly tried: number;
  readonly breaches: readonly string[];
}
