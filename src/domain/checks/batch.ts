// The runs that one call of a trigger started, and what they came to.
import type { EnvironmentVariable } from '../accounts/environment-variable.ts';
import type { Outcome } from '../results/result.ts';

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

/** What a call of a trigger asks for besides its runs. */
export interface CallOptions {
  /** Its runs do not alert, and do not move the states of checks. */
  readonly isQuiet: boolean;
  /** Win over those of check, group and account in its runs; all of them are secret. */
  readonly variables: readonly EnvironmentVariable[];
}

/** The runs of a call by their ids, as far as they are few. */
export interface CallRuns {
  /** That of the batch. */
  readonly id: string;
  /** Empty when there are more than `namedMost`. */
  readonly runIds: readonly string[];
}

/** Runs that are named in the header of an answer, which has to stay short. */
export const namedMost = 50;

/** One run of a call: waiting or running while its outcome is null. */
export interface CallRun {
  readonly id: string;
  readonly checkId: string;
  readonly name: string;
  readonly location: string;
  readonly outcome: Outcome | null;
  readonly message: string | null;
  /** ms with decimals; null = no answer. */
  readonly responseTimeMs: number | null;
}

/** What one check of a batch came to (reference §4.8). */
export interface BatchVerdict {
  readonly checkId: string;
  readonly name: string;
  /** Anything but passed or degraded, at any location: a gate must not open on a run without verdict. */
  readonly hasFailures: boolean;
  /** Whole ms, of the slowest location; 0 without an answer. */
  readonly responseTime: number;
  /** Of a check that failed: why, in a sentence. */
  readonly message?: string;
  /** Of a check that failed: a page of its result, which needs no key. */
  readonly resultLink?: string;
}
