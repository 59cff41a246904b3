// When the watchdog is called: a dead man's switch outside of this installation (docs/decisions/0135).
import { isAlive, type ProcessSign } from './process.ts';

/** What the processes of an installation know about the calls. Times are epoch ms. */
export interface WatchdogState {
  /** When the next call is due. The process that moves it on makes that call. */
  readonly dueAt: number;
  /** Since when it has not been called because of `reasons`; null = it is called. */
  readonly withheldSince: number | null;
  readonly reasons: readonly string[];
  /** Since when its calls have failed; null = the last one succeeded. */
  readonly failingSince: number | null;
  /** Why the last call failed. */
  readonly error: string | null;
}

/** Before the first call. */
export const neverCalled: WatchdogState = {
  dueAt: 0,
  withheldSince: null,
  reasons: [],
  failingSince: null,
  error: null,
};

/** Interval between two calls, ms. */
export const watchdogIntervalMs = 60_000;
/** The pause after a call that failed, ms: its receiver counts minutes. */
export const watchdogRetryMs = 10_000;

/** When a call is due. A time beyond the interval is from before the clock was set back. */
export function isCallDue({ dueAt }: WatchdogState, now: number): boolean {
  return dueAt <= now || dueAt > now + watchdogIntervalMs;
}

/**
 * Why the watchdog must not be called, a sentence each; empty = every step makes progress in at least one process.
 * @param steps the steps of each role
 */
export function reasonsToWithhold(
  processes: readonly Pick<ProcessSign, 'roles' | 'stalled' | 'seenAt'>[],
  steps: Readonly<Record<string, readonly string[]>>,
  now: number,
): string[] {
  const alive = processes.filter((one) => isAlive(one, now));
  return Object.entries(steps).flatMap(([role, names]) => {
    const own = alive.filter(({ roles }) => roles.includes(role));
    if (own.length === 0) return `no process with the role ${role} is running`;
    return names
      .filter((name) => own.every(({ stalled }) => stalled.includes(name)))
      .map((name) => `the step ${name} makes no progress`);
  });
}
