// Table of trials of checks.
import type { IdBytes } from '../codec.ts';

/** A trial. The definition and the finding are encrypted JSON. */
export interface CheckTrialsTable {
  account_id: IdBytes;
  id: IdBytes;
  location: string;
  definition: string;
  /** null = it has not ended. */
  finding: string | null;
  /** Process that runs it; null = it waits. */
  leased_by: string | null;
  leased_until: number | null;
  created_at: number;
  /** Number of the newest slice of its progress. */
  slices: number;
}

/** A piece of the progress of a running trial. */
export interface TrialSlicesTable {
  account_id: IdBytes;
  trial_id: IdBytes;
  number: number;
  /** Encrypted JSON. */
  content: string;
  /** That of the trial. */
  created_at: number;
}

export interface TrialTables {
  check_trials: CheckTrialsTable;
  trial_slices: TrialSlicesTable;
}
