// Runs and their retries.
import { type Check, namedLocations, type NamesLocations, type RetryStrategy } from './check.ts';

/** What started a run (reference: runSource). */
export type RunSource = 'SCHEDULER' | 'TRIGGER_API' | 'SCHEDULE_NOW';

/** An execution of a check at one location: queued, leased, probed (with retries) and closed by its final result. */
export interface Run {
  readonly accountId: string;
  readonly checkId: string;
  /** Derived from check, location and slot, so that planning a slot twice creates one run. */
  readonly id: string;
  /** Location of the next or current attempt; a retry may use another one. */
  readonly location: string;
  readonly source: RunSource;
  /** Slot of the run, epoch ms; null if started on demand. */
  readonly slotAt: number | null;
  /** Length of the slot in ms: a run not started by then is missed. null on demand. */
  readonly intervalMs: number | null;
  /** Number of the next or current attempt, from 1. */
  readonly attempt: number;
  /** When this attempt may start, epoch ms. */
  readonly dueAt: number;
  /** When the first attempt started, epoch ms; null before. */
  readonly firstStartedAt: number | null;
  /** Identifies the call of a trigger that started it; null for scheduled runs. */
  readonly batchId: string | null;
  /** It was due while another process ran its check at its location. */
  readonly wasHeldBack?: boolean;
}

/** Who claims, for how long, and how many. Times are epoch ms. */
export interface RunClaim {
  readonly location: string;
  readonly owner: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly max: number;
  /** Accounts to skip; none by default. */
  readonly without?: readonly string[];
  /** Whether more are waiting than one claim takes: then accounts take turns, and triggered runs come last. */
  readonly isBacklog?: boolean;
}

/** When and where a run is retried. */
export interface RunRetry {
  /** Epoch ms. */
  readonly at: number;
  /** Code of a run location. */
  readonly location: string;
}

/** Result of an attempt as far as it determines the next one. */
export interface AttemptEnd {
  /** Outcome of the finding. */
  readonly verdict: string;
  /** Error class; null = passed. */
  readonly reason: string | null;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly stoppedAt: number;
}

/**
 * The attempt that follows an ended one; null = its verdict is that of the run.
 * @param check the check's effective settings
 * @param served codes of the available run locations
 */
export function retryOf(
  { attempt, location, firstStartedAt }: Pick<Run, 'attempt' | 'location' | 'firstStartedAt'>,
  { verdict, reason, startedAt, stoppedAt }: AttemptEnd,
  check: Pick<Check, 'retryStrategy'> & NamesLocations,
  served: readonly string[],
): RunRetry | null {
  if (verdict !== 'failed') return null;
  const at = runRetryAt(check.retryStrategy, attempt, stoppedAt, firstStartedAt ?? startedAt, reason);
  return at === null ? null : { at, location: retryLocation(check, location, served) };
}

const networkErrors: ReadonlySet<string> = new Set(['dns', 'connect', 'reset', 'timeout']);

/**
 * When a failed attempt is retried, epoch ms, or null if it is final (reference §4.6).
 * @param strategy the check's own or its group's; null = no retries
 * @param attempt number of the failed attempt, from 1
 * @param failedAt when it ended, epoch ms
 * @param firstStartedAt when the run's first attempt started, epoch ms
 * @param reason the failed attempt's error class, for strategies that retry on network errors only
 */
export function runRetryAt(
  strategy: RetryStrategy | null,
  attempt: number,
  failedAt: number,
  firstStartedAt: number,
  reason: string | null,
): number | null {
  if (strategy === null || strategy.type === 'NO_RETRIES') return null;
  const max = strategy.type === 'SINGLE_RETRY' ? 1 : strategy.maxRetries;
  if (attempt > max) return null;
  if (strategy.onlyOn?.length && !(reason !== null && networkErrors.has(reason))) return null;
  const base = strategy.baseBackoffSeconds * 1000;
  const factor = strategy.type === 'LINEAR' ? attempt : strategy.type === 'EXPONENTIAL' ? 2 ** (attempt - 1) : 1;
  const at = Math.ceil(failedAt + base * factor);
  return at - firstStartedAt > strategy.maxDurationSeconds * 1000 ? null : at;
}

/**
 * Where a failed attempt is retried (docs/decisions/0098): at the same location, or with `sameRegion` false at the next
 * available location in the check's list, wrapping around. So a run with enough retries tries every location. If all
 * locations fail, each retries for one other.
 * @param check the check's effective settings
 * @param failedAt code of the location of the failed attempt
 * @param served codes of the available run locations
 */
export function retryLocation(
  check: Pick<Check, 'retryStrategy'> & NamesLocations,
  failedAt: string,
  served: readonly string[],
): string {
  if (check.retryStrategy?.sameRegion !== false) return failedAt;
  const locations = namedLocations(check);
  const after = locations.indexOf(failedAt) + 1;
  const others = [...locations.slice(after), ...locations.slice(0, after)].filter((code) => code !== failedAt);
  return others.find((code) => served.includes(code)) ?? failedAt;
}
