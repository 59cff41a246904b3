// A run, and when an attempt of it is tried again.
import type { Check, RetryStrategy } from './check.ts';

/** Why a run exists (reference: runSource). */
export type RunSource = 'SCHEDULER' | 'TRIGGER_API' | 'SCHEDULE_NOW';

/** One execution of a check at one location: queued, leased, probed (with retries) and closed by its final result. */
export interface Run {
  readonly accountId: string;
  readonly checkId: string;
  /** Derived from check, location and slot, so that scheduling the same slot twice is one run. */
  readonly id: string;
  /** Of the attempt that comes next or is under way; a retry may be made elsewhere than the attempt before it. */
  readonly location: string;
  readonly source: RunSource;
  /** The slot it fills, epoch ms; null for one started on demand. */
  readonly slotAt: number | null;
  /** Length of the slot in ms: what is not started by then is missed. null on demand. */
  readonly intervalMs: number | null;
  /** The attempt that comes next or is under way, from 1. */
  readonly attempt: number;
  /** When this attempt may start, epoch ms. */
  readonly dueAt: number;
  /** When the first attempt started, epoch ms; null before. */
  readonly firstStartedAt: number | null;
  /** Joins the runs of one call of a trigger; null for scheduled ones. */
  readonly batchId: string | null;
  /** It was due while another process had a run of its check at its location. */
  readonly wasHeldBack?: boolean;
}

/** When and where a run is tried again. */
export interface RunRetry {
  /** Epoch ms. */
  readonly at: number;
  /** Code of a run location. */
  readonly location: string;
}

/** What an attempt came to, as far as the next one depends on it. */
export interface AttemptEnd {
  /** Of a finding. */
  readonly verdict: string;
  /** Its error class; null = it passed. */
  readonly reason: string | null;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly stoppedAt: number;
}

/**
 * The attempt that follows one that has ended; null = its verdict stands, and is that of the run.
 *
 * @param check with the settings of its group laid over its own
 * @param served codes of the run locations that are served now
 */
export function retryOf(
  { attempt, location, firstStartedAt }: Pick<Run, 'attempt' | 'location' | 'firstStartedAt'>,
  { verdict, reason, startedAt, stoppedAt }: AttemptEnd,
  check: Pick<Check, 'retryStrategy' | 'locations'>,
  served: readonly string[],
): RunRetry | null {
  if (verdict !== 'failed') return null;
  const at = runRetryAt(check.retryStrategy, attempt, stoppedAt, firstStartedAt ?? startedAt, reason);
  return at === null ? null : { at, location: retryLocation(check, location, served) };
}

const networkErrors: ReadonlySet<string> = new Set(['dns', 'connect', 'reset', 'timeout']);

/**
 * When a failed attempt is tried again, epoch ms, or null when its verdict stands (reference §4.6).
 *
 * @param strategy the check's own or its group's; null = no retry
 * @param attempt the attempt that failed, from 1
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
  const most = strategy.type === 'SINGLE_RETRY' ? 1 : strategy.maxRetries;
  if (attempt > most) return null;
  if (strategy.onlyOn?.length && !(reason !== null && networkErrors.has(reason))) return null;
  const base = strategy.baseBackoffSeconds * 1000;
  const factor = strategy.type === 'LINEAR' ? attempt : strategy.type === 'EXPONENTIAL' ? 2 ** (attempt - 1) : 1;
  const at = Math.ceil(failedAt + base * factor);
  return at - firstStartedAt > strategy.maxDurationSeconds * 1000 ? null : at;
}

/**
 * Where a failed attempt is tried again (docs/decisions/0098): where it failed, or with `sameRegion` false at the location that
 * comes next in the check's list, after the last the first, of those that somebody serves. So a run that is tried again as
 * often as there are others is tried at each of them, and where every location fails each takes over from one other.
 *
 * @param check with the settings of its group laid over its own
 * @param failedAt code of the location of the attempt that failed
 * @param served codes of the run locations that are served now
 */
export function retryLocation(
  { retryStrategy, locations }: Pick<Check, 'retryStrategy' | 'locations'>,
  failedAt: string,
  served: readonly string[],
): string {
  if (retryStrategy?.sameRegion !== false) return failedAt;
  const after = locations.indexOf(failedAt) + 1;
  const others = [...locations.slice(after), ...locations.slice(0, after)].filter((code) => code !== failedAt);
  return others.find((code) => served.includes(code)) ?? failedAt;
}
