// Check sessions: stored checks that were started on demand, each followed through its runs.
import type { CheckType } from '../checks/check.ts';
import type { Outcome } from '../results/result.ts';

/** A check that was started. Its runs are real ones: they are recorded, change its state and send alerts. */
export interface CheckSession {
  readonly accountId: string;
  readonly id: string;
  readonly checkId: string;
  readonly checkType: CheckType;
  readonly name: string;
  /** The batch of its runs. */
  readonly batchId: string;
  /** One per location. The final result of a run has its ID. */
  readonly runs: readonly { readonly id: string; readonly location: string }[];
  /** Epoch ms. */
  readonly createdAt: number;
  /** Since when nobody waits for it, epoch ms; null = it was not cancelled. */
  readonly cancelledAt: number | null;
}

/** Values of the reference; `PROGRESS…` until every run has ended. */
export const checkSessionStatuses = [
  'STARTED',
  'PROGRESS',
  'PROGRESS_FAILED',
  'PROGRESS_DEGRADED',
  'PASSED',
  'DEGRADED',
  'FAILED',
  'TIMED_OUT',
  'CANCELLED',
] as const;
export type CheckSessionStatus = (typeof checkSessionStatuses)[number];

/** How long sessions are stored, ms, and how many of an account. */
export const checkSessionMs = 30 * 86_400_000;
export const checkSessionsKept = 1000;
/** Maximum number of checks that one call starts. */
export const checksOfCall = 500;

/**
 * The status of a session. A run without a verdict counts as failed: a gate must not open on it.
 * @param outcomes of the runs that have ended
 * @param isClosed whether no run is waiting or running
 */
export function checkSessionStatus(
  { runs, cancelledAt }: Pick<CheckSession, 'runs' | 'cancelledAt'>,
  outcomes: readonly Outcome[],
  isClosed: boolean,
): CheckSessionStatus {
  const isFailed = outcomes.some((outcome) => outcome !== 'passed' && outcome !== 'degraded');
  const isDegraded = outcomes.includes('degraded');
  // Runs of a deleted check leave no outcome.
  if (isClosed) return isFailed || outcomes.length < runs.length ? 'FAILED' : isDegraded ? 'DEGRADED' : 'PASSED';
  if (cancelledAt !== null) return 'CANCELLED';
  if (isFailed) return 'PROGRESS_FAILED';
  if (isDegraded) return 'PROGRESS_DEGRADED';
  return outcomes.length > 0 ? 'PROGRESS' : 'STARTED';
}
