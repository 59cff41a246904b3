// The runs started by a call of a trigger, and their results.
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { Outcome } from '../results/result.ts';

/** What a trigger starts: exactly one of the two is set. */
export interface TriggerTarget {
  readonly groupId: number | null;
  readonly checkId: string | null;
}

/** Runs started together. */
export interface Batch {
  readonly accountId: string;
  readonly id: string;
  /** In the order of the group; one run per location if a check runs in parallel. */
  readonly checks: readonly { readonly checkId: string; readonly name: string; readonly runIds: readonly string[] }[];
}

/** Options of a trigger call. */
export interface CallOptions {
  /** Its runs send no alerts and do not change the state of checks. */
  readonly isQuiet: boolean;
  /** Override variables of check, group and account in its runs; all of them are secret. */
  readonly variables: readonly EnvironmentVariable[];
}

/** IDs of the runs of a call, up to a maximum. */
export interface CallRuns {
  /** ID of the batch. */
  readonly id: string;
  /** Empty if there are more than `maxNamed`. */
  readonly runIds: readonly string[];
}

/** Maximum number of run IDs in a response header, which has to stay short. */
export const maxNamed = 50;

/** A run of a call: queued or in progress while its outcome is null. */
export interface CallRun {
  readonly id: string;
  readonly checkId: string;
  readonly name: string;
  readonly location: string;
  readonly outcome: Outcome | null;
  readonly message: string | null;
  /** ms with decimals; null = no response. */
  readonly responseTimeMs: number | null;
}

/** Result of one check of a batch (reference §4.8). */
export interface BatchVerdict {
  readonly checkId: string;
  readonly name: string;
  /** Neither passed nor degraded, at any location: a gate must not open on a run without a verdict. */
  readonly hasFailures: boolean;
  /** Whole ms, of the slowest location; 0 without a response. */
  readonly responseTime: number;
  /** Why the check failed, in a sentence. */
  readonly message?: string;
  /** Page of the failed result, which needs no key. */
  readonly resultLink?: string;
}
