// The runs that one call of a trigger started, and what they came to.

/** What of an account a trigger starts: exactly one of the two is set. */
export interface TriggerTarget {
  readonly groupId: number | null;
  readonly checkId: string | null;
}

/** Runs started together. */
export interface Batch {
  readonly accountId: string;
  readonly id: string;
  /** In the order of the group; one run per location where a check runs in parallel. */
  readonly checks: readonly { readonly checkId: string; readonly name: string; readonly runIds: readonly string[] }[];
}

/** What one check of a batch came to (reference §4.8). */
export interface BatchVerdict {
  readonly checkId: string;
  readonly name: string;
  /** Anything but passed or degraded, at any location: a gate must not open on a run without verdict. */
  readonly hasFailures: boolean;
  /** Whole ms, of the slowest location; 0 without an answer. */
  readonly responseTime: number;
}
