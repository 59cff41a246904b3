// Alert storms: when alerts for people are combined into digests, and until when (docs/alerting.md: Alert storms). Times
// are epoch ms.
import type { AlertSettings } from './alert-settings.ts';

/** A storm begins when alerts about more than a number of checks were raised within this time, ms. */
export const stormWindowMs = 60_000;
/** A digest waits this long after its first alert, ms. */
export const digestDelayMs = 60_000;
/** Least time between two digests to a channel, ms. */
export const digestPauseMs = 600_000;
/** A storm that has passed ends after this time without alerts, ms. */
export const calmMs = 60_000;
/** Any storm ends after this time without alerts, ms. */
export const longestStormMs = 3_600_000;
/** Default of `digestThreshold`. */
export const defaultDigestThreshold = 20;
/** Largest `digestThreshold`. */
export const maxDigestThreshold = 1000;

/** The storm of an account. */
export interface AlertStorm {
  /** null = there is none. */
  readonly startedAt: number | null;
  /** When the last one ended; null = never. */
  readonly endedAt: number | null;
  /** Channels that received digests in this storm, by ID. */
  readonly channels: Readonly<Record<string, StormChannel>>;
}

/** A channel in a storm. */
export interface StormChannel {
  /** The digest that collects its alerts; null = the next alert starts one. */
  readonly digestId: string | null;
  /** When the last digest left; null = none has left. */
  readonly sentAt: number | null;
}

export const noStorm: AlertStorm = { startedAt: null, endedAt: null, channels: {} };

/** Number of checks that must be exceeded for a storm; null = no storms. */
export function digestThresholdOf(settings: AlertSettings | null): number | null {
  const threshold = settings?.digestThreshold ?? defaultDigestThreshold;
  return threshold === 0 ? null : threshold;
}

/** Alerts after this time count towards a storm. Those of the previous storm do not. */
export function countedFrom({ endedAt }: Pick<AlertStorm, 'endedAt'>, now: number): number {
  // In the future: the clock was set back.
  return Math.max(now - stormWindowMs, endedAt !== null && endedAt <= now ? endedAt : 0);
}

/** When a digest that gets its first alert now is due. */
export function digestDueAt(channel: StormChannel | undefined, now: number): number {
  const sentAt = channel?.sentAt ?? null;
  const soonest = now + digestDelayMs;
  return sentAt === null || sentAt > now ? soonest : Math.max(soonest, sentAt + digestPauseMs);
}

/** No digest is due later than this; if one is, the clock was set back. */
export function latestDueAt(now: number): number {
  return now + digestDelayMs + digestPauseMs;
}

/** The facts that decide whether a storm is over. */
export interface StormFacts {
  /** Last alert of the account. */
  readonly lastAlertAt: number;
  /** Checks that failed in the storm and still fail. */
  readonly failing: number;
  /** null = switched off meanwhile. */
  readonly threshold: number | null;
}

/**
 * Whether a storm is over: no alert for a minute and less than half of the threshold still fails, no alert for an hour,
 * or digests were switched off.
 */
export function isOver({ lastAlertAt, failing, threshold }: StormFacts, now: number): boolean {
  // In the future: the clock was set back.
  if (threshold === null || lastAlertAt > now) return true;
  const calmFor = now - lastAlertAt;
  return calmFor >= longestStormMs || (calmFor >= calmMs && failing < threshold / 2);
}
